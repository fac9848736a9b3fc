SELECT id, timestamp, event_message, body->'metadata' AS metadata
FROM events
WHERE stream = 'edge_logs' AND body->>'project' = {project} AND timestamp > {after} AND event_message LIKE '%invoices%'
ORDER BY timestamp DESC LIMIT 100
