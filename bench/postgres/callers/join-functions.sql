SELECT e.timestamp, e.body#>>'{metadata,request,path}' AS path, (f.body#>>'{metadata,execution_time_ms}')::int AS execution_time_ms
FROM events AS e
JOIN events AS f ON e.body#>>'{metadata,request,headers,x_real_ip}' = f.body#>>'{metadata,request,headers,x_forwarded_for}'
WHERE e.stream = 'edge_logs' AND e.body->>'project' = {project} AND e.timestamp > {after}
  AND f.stream = 'function_edge_logs' AND f.body->>'project' = {project} AND f.timestamp > {after}
ORDER BY e.timestamp DESC, execution_time_ms LIMIT 100
