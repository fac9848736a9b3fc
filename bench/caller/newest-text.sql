-- caller
select id, timestamp, event_message, metadata
from edge_logs
where event_message like '%invoices%'
order by timestamp desc
limit 100
-- by hand
SELECT id, timestamp, event_message, metadata
FROM {edge_logs: id, timestamp, event_message, metadata}
WHERE contains(event_message, 'invoices')
ORDER BY timestamp DESC LIMIT 100
-- by hand, cutoff first
SELECT min(timestamp) FROM (
  SELECT timestamp FROM {edge_logs: timestamp, event_message}
  WHERE contains(event_message, 'invoices') ORDER BY timestamp DESC LIMIT 100
);
SELECT id, timestamp, event_message, metadata
FROM {edge_logs: id, timestamp, event_message, metadata}
WHERE contains(event_message, 'invoices')
ORDER BY timestamp DESC LIMIT 100
