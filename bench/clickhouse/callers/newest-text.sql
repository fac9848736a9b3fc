SELECT id, timestamp, event_message, metadata
FROM edge_logs
WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} AND event_message LIKE '%invoices%'
ORDER BY timestamp DESC, arrival_number DESC LIMIT 100
