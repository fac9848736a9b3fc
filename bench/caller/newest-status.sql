-- caller
select t.id, t.timestamp, t.event_message, request.method, request.path, response.status_code
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.request) as request
cross join unnest(m.response) as response
where response.status_code >= 500
order by t.timestamp desc
limit 100
-- by hand
SELECT id, timestamp, event_message, request_method AS method, request_path AS path, response_status_code AS status_code
FROM {edge_logs: id, timestamp, event_message, has_request, request_method, request_path, response_status_code}
WHERE response_status_code >= 500 AND has_request
ORDER BY timestamp DESC LIMIT 100
-- by hand, cutoff first
SELECT min(timestamp) FROM (
  SELECT timestamp FROM {edge_logs: timestamp, has_request, response_status_code}
  WHERE response_status_code >= 500 AND has_request ORDER BY timestamp DESC LIMIT 100
);
SELECT id, timestamp, event_message, request_method AS method, request_path AS path, response_status_code AS status_code
FROM {edge_logs: id, timestamp, event_message, has_request, request_method, request_path, response_status_code}
WHERE response_status_code >= 500 AND has_request
ORDER BY timestamp DESC LIMIT 100
