SELECT id, timestamp, event_message FROM (
  (SELECT id, timestamp, event_message FROM edge_logs
   WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} ORDER BY timestamp DESC LIMIT 100)
  UNION ALL
  (SELECT id, timestamp, event_message FROM database_logs
   WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} ORDER BY timestamp DESC LIMIT 100)
  UNION ALL
  (SELECT id, timestamp, event_message FROM auth_logs
   WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} ORDER BY timestamp DESC LIMIT 100)
  UNION ALL
  (SELECT id, timestamp, event_message FROM function_edge_logs
   WHERE project = {project:String} AND timestamp > {after:DateTime64(6)} ORDER BY timestamp DESC LIMIT 100)
)
ORDER BY timestamp DESC LIMIT 100
