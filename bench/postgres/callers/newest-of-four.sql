SELECT id, timestamp, event_message FROM (
  (SELECT id, timestamp, event_message FROM events
   WHERE stream = 'edge_logs' AND body->>'project' = {project} AND timestamp > {after} ORDER BY timestamp DESC LIMIT 100)
  UNION ALL
  (SELECT id, timestamp, event_message FROM events
   WHERE stream = 'database_logs' AND body->>'project' = {project} AND timestamp > {after} ORDER BY timestamp DESC LIMIT 100)
  UNION ALL
  (SELECT id, timestamp, event_message FROM events
   WHERE stream = 'auth_logs' AND body->>'project' = {project} AND timestamp > {after} ORDER BY timestamp DESC LIMIT 100)
  UNION ALL
  (SELECT id, timestamp, event_message FROM events
   WHERE stream = 'function_edge_logs' AND body->>'project' = {project} AND timestamp > {after} ORDER BY timestamp DESC LIMIT 100)
) AS newest
ORDER BY timestamp DESC LIMIT 100
