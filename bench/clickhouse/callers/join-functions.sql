SELECT e.timestamp, e.path, f.execution_time_ms
FROM (
  SELECT timestamp, request_path AS path, JSONExtractString(metadata, 'request', 'headers', 'x_real_ip') AS address
  FROM edge_logs WHERE project = {project:String} AND timestamp > {after:DateTime64(6)}
) AS e
JOIN (
  SELECT execution_time_ms, JSONExtractString(metadata, 'request', 'headers', 'x_forwarded_for') AS address
  FROM function_edge_logs WHERE project = {project:String} AND timestamp > {after:DateTime64(6)}
) AS f ON e.address = f.address
ORDER BY e.timestamp DESC, f.execution_time_ms LIMIT 100
