SELECT timestamp, body#>>'{metadata,request,path}' AS path, body#>>'{metadata,request,cf,city}' AS city
FROM events
WHERE stream = 'edge_logs' AND body->>'project' = {project} AND timestamp > {after}
  AND body#>>'{metadata,request,cf,asn}' = '64500'
ORDER BY timestamp DESC LIMIT 100
