-- caller
select timestamp_trunc(t.timestamp, day) as day, count(distinct request.path) as paths
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.request) as request
group by day
order by day
-- by hand
SELECT date_trunc('day', timestamp) AS day, count(DISTINCT request_path) AS paths
FROM {edge_logs: timestamp, has_request, request_path}
WHERE has_request
GROUP BY 1 ORDER BY 1
