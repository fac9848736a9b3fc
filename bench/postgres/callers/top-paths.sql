SELECT body#>>'{metadata,request,path}' AS path, count(*) AS events
FROM events
WHERE stream = 'edge_logs' AND body->>'project' = {project} AND timestamp > {after}
GROUP BY 1 ORDER BY events DESC, path LIMIT 10
