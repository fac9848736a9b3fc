SELECT (body#>>'{metadata,response,status_code}')::int AS status_code, count(*) AS events
FROM events
WHERE stream = 'edge_logs' AND body->>'project' = {project} AND timestamp > {after}
GROUP BY 1 ORDER BY events DESC, status_code
