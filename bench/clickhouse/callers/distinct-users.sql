SELECT toStartOfHour(timestamp) AS hour, uniqExact(JSONExtractString(metadata, 'auth_event', 'actor_username')) AS users, count() AS events
FROM auth_logs
WHERE project = {project:String} AND timestamp > {after:DateTime64(6)}
GROUP BY hour ORDER BY hour
