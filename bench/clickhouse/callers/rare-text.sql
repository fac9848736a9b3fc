SELECT id, timestamp, event_message
FROM edge_logs
WHERE project = {project:String} AND event_message LIKE '%198.51.77.7 %'
ORDER BY timestamp DESC, arrival_number DESC LIMIT 100
