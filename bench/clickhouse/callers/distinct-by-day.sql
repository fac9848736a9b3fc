SELECT toStartOfDay(timestamp) AS day, uniqExact(request_path) AS paths
FROM edge_logs
WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} AND has_request
GROUP BY day ORDER BY day
