-- caller, whole history
select id, timestamp, event_message
from edge_logs
where regexp_contains(event_message, '198\\.51\\.77\\.7 ')
order by timestamp desc
limit 100
-- by hand
SELECT id, timestamp, event_message
FROM {edge_logs: id, timestamp, event_message}
WHERE contains(event_message, '198.51.77.7 ')
ORDER BY timestamp DESC LIMIT 100
