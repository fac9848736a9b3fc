SELECT id, timestamp, event_message
FROM events
WHERE stream = 'edge_logs' AND body->>'project' = {project} AND event_message LIKE '%198.51.77.7 %'
ORDER BY timestamp DESC LIMIT 100
