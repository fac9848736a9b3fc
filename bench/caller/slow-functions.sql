-- caller
select t.timestamp, m.function_id, m.execution_time_ms, response.status_code
from function_edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.response) as response
order by m.execution_time_ms desc, t.timestamp desc
limit 20
-- by hand
SELECT timestamp, function_id, execution_time_ms, response_status_code AS status_code
FROM {function_edge_logs: timestamp, function_id, execution_time_ms, has_response, response_status_code}
WHERE has_response
ORDER BY execution_time_ms DESC, timestamp DESC LIMIT 20
