-- caller
select timestamp_trunc(t.timestamp, hour) as hour, approx_quantiles(m.execution_time_ms, 100)[offset(95)] as p95
from function_edge_logs as t
cross join unnest(t.metadata) as m
group by hour
order by hour
-- by hand
SELECT date_trunc('hour', timestamp) AS hour, quantile_disc(execution_time_ms, 0.95) AS p95
FROM {function_edge_logs: timestamp, execution_time_ms}
GROUP BY 1 ORDER BY 1
