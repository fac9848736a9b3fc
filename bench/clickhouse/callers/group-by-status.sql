SELECT response_status_code AS status_code, count() AS events
FROM edge_logs
WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} AND has_response
GROUP BY status_code ORDER BY events DESC, status_code
