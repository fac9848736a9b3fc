-- caller
select id, timestamp, event_message from edge_logs
union all
select id, timestamp, event_message from database_logs
union all
select id, timestamp, event_message from auth_logs
union all
select id, timestamp, event_message from function_edge_logs
order by timestamp desc
limit 100
-- by hand
SELECT id, timestamp, event_message FROM (
  FROM {edge_logs: id, timestamp, event_message}
  UNION ALL FROM {database_logs: id, timestamp, event_message}
  UNION ALL FROM {auth_logs: id, timestamp, event_message}
  UNION ALL FROM {function_edge_logs: id, timestamp, event_message}
)
ORDER BY timestamp DESC LIMIT 100
-- by hand, cutoff first
SELECT min(timestamp) FROM (
  SELECT timestamp FROM (
    FROM {edge_logs: timestamp}
    UNION ALL FROM {database_logs: timestamp}
    UNION ALL FROM {auth_logs: timestamp}
    UNION ALL FROM {function_edge_logs: timestamp}
  ) ORDER BY timestamp DESC LIMIT 100
);
SELECT id, timestamp, event_message FROM (
  FROM {edge_logs: id, timestamp, event_message}
  UNION ALL FROM {database_logs: id, timestamp, event_message}
  UNION ALL FROM {auth_logs: id, timestamp, event_message}
  UNION ALL FROM {function_edge_logs: id, timestamp, event_message}
)
ORDER BY timestamp DESC LIMIT 100
