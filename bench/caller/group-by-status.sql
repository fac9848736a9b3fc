-- caller
select response.status_code, count(*) as events
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.response) as response
group by response.status_code
order by events desc, response.status_code
-- by hand
SELECT response_status_code AS status_code, count(*) AS events
FROM {edge_logs: has_response, response_status_code}
WHERE has_response
GROUP BY 1 ORDER BY events DESC, status_code
