SELECT id, timestamp, event_message, body#>>'{metadata,request,method}' AS method, body#>>'{metadata,request,path}' AS path,
  (body#>>'{metadata,response,status_code}')::int AS status_code
FROM events
WHERE stream = 'edge_logs' AND body->>'project' = {project} AND timestamp > {after}
  AND (body#>>'{metadata,response,status_code}')::int >= 500
ORDER BY timestamp DESC LIMIT 100
