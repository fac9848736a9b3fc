-- caller
select e.timestamp, request.path, f.execution_time_ms
from edge_logs as e
cross join unnest(e.metadata) as m
cross join unnest(m.request) as request
join (
  select fr.headers.x_forwarded_for as address, fm.execution_time_ms
  from function_edge_logs as t
  cross join unnest(t.metadata) as fm
  cross join unnest(fm.request) as fr
) as f on request.headers.x_real_ip = f.address
order by e.timestamp desc, f.execution_time_ms
limit 100
-- by hand
SELECT e.timestamp, e.path, f.execution_time_ms FROM (
  SELECT timestamp, request_path AS path, json_extract_string(metadata, '$.request.headers.x_real_ip') AS address
  FROM {edge_logs: timestamp, has_request, request_path, metadata} WHERE has_request
) AS e JOIN (
  SELECT execution_time_ms, json_extract_string(metadata, '$.request.headers.x_forwarded_for') AS address
  FROM {function_edge_logs: execution_time_ms, has_request, metadata} WHERE has_request
) AS f ON e.address = f.address
ORDER BY e.timestamp DESC, f.execution_time_ms LIMIT 100
