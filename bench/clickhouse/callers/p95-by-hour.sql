SELECT toStartOfHour(timestamp) AS hour, arraySort(groupArray(execution_time_ms))[intDiv(95 * count() + 99, 100)] AS p95
FROM function_edge_logs
WHERE project = {project:String} AND timestamp > {after:DateTime64(6)}
GROUP BY hour ORDER BY hour
