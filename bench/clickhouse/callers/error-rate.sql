SELECT toStartOfHour(timestamp) AS hour, countIf(response_status_code >= 500) AS errors, count() AS events, errors / events AS rate
FROM edge_logs
WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} AND has_response
GROUP BY hour ORDER BY hour
