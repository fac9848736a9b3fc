-- caller
select timestamp_trunc(t.timestamp, minute) as minute, count(t.id) as events
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.response) as response
group by minute
order by minute
limit 1000
-- by hand
SELECT date_trunc('minute', timestamp) AS minute, count(*) AS events
FROM {edge_logs: timestamp, has_response}
WHERE has_response
GROUP BY 1 ORDER BY 1 LIMIT 1000
