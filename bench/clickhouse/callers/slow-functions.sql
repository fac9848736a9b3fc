SELECT timestamp, function_id, execution_time_ms, response_status_code AS status_code
FROM function_edge_logs
WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} AND has_response
ORDER BY execution_time_ms DESC, timestamp DESC LIMIT 20
