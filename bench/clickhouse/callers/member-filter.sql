SELECT timestamp, request_path AS path, JSONExtractString(metadata, 'request', 'cf', 'city') AS city
FROM edge_logs
WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} AND JSONExtractInt(metadata, 'request', 'cf', 'asn') = 64500
ORDER BY timestamp DESC, arrival_number DESC LIMIT 100
