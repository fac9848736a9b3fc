SELECT date_trunc('hour', timestamp) AS hour, count(DISTINCT body#>>'{metadata,auth_event,actor_username}') AS users, count(*) AS events
FROM events
WHERE stream = 'auth_logs' AND body->>'project' = {project} AND timestamp > {after}
GROUP BY 1 ORDER BY 1
