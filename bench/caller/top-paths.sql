-- caller
select request.path, count(*) as events
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.request) as request
group by request.path
order by events desc, request.path
limit 10
-- by hand
SELECT request_path AS path, count(*) AS events
FROM {edge_logs: has_request, request_path}
WHERE has_request
GROUP BY 1 ORDER BY events DESC, path LIMIT 10
