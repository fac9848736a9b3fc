SELECT request_path AS path, count() AS events
FROM edge_logs
WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} AND has_request
GROUP BY path ORDER BY events DESC, path LIMIT 10
