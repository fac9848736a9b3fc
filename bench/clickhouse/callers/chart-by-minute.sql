SELECT toStartOfMinute(timestamp) AS minute, count() AS events
FROM edge_logs
WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} AND has_response
GROUP BY minute ORDER BY minute LIMIT 1000
