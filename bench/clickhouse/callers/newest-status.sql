SELECT id, timestamp, event_message, request_method AS method, request_path AS path, response_status_code AS status_code
FROM edge_logs
WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} AND response_status_code >= 500 AND has_request
ORDER BY timestamp DESC, arrival_number DESC LIMIT 100
