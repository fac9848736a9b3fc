-- caller
select timestamp_trunc(t.timestamp, hour) as hour, countif(response.status_code >= 500) as errors, count(*) as events,
  countif(response.status_code >= 500) / count(*) as rate
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.response) as response
group by hour
order by hour
-- by hand
SELECT hour, errors, events, errors / events AS rate FROM (
  SELECT date_trunc('hour', timestamp) AS hour, count(*) FILTER (WHERE response_status_code >= 500) AS errors, count(*) AS events
  FROM {edge_logs: timestamp, has_response, response_status_code}
  WHERE has_response
  GROUP BY 1
) ORDER BY hour
