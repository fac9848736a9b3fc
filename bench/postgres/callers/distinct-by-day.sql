SELECT date_trunc('day', timestamp) AS day, count(DISTINCT body#>>'{metadata,request,path}') AS paths
FROM events
WHERE stream = 'edge_logs' AND body->>'project' = {project} AND timestamp > {after}
GROUP BY 1 ORDER BY 1
