SELECT date_trunc('minute', timestamp) AS minute, count(*) AS events
FROM events
WHERE stream = 'edge_logs' AND body->>'project' = {project} AND timestamp > {after}
GROUP BY 1 ORDER BY 1 LIMIT 1000
