SELECT timestamp, body#>>'{metadata,function_id}' AS function_id, (body#>>'{metadata,execution_time_ms}')::int AS execution_time_ms,
  (body#>>'{metadata,response,status_code}')::int AS status_code
FROM events
WHERE stream = 'function_edge_logs' AND body->>'project' = {project} AND timestamp > {after}
ORDER BY execution_time_ms DESC, timestamp DESC LIMIT 20
