-- caller
select timestamp_trunc(t.timestamp, hour) as hour, count(distinct auth_event.actor_username) as users, count(*) as events
from auth_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.auth_event) as auth_event
group by hour
order by hour
-- by hand
SELECT date_trunc('hour', timestamp) AS hour, count(DISTINCT username) AS users, count(*) AS events
FROM (
  SELECT timestamp, json_extract_string(metadata, '$.auth_event.actor_username') AS username, json_type(metadata, '$.auth_event') AS kind
  FROM {auth_logs: timestamp, metadata}
)
WHERE kind = 'OBJECT'
GROUP BY 1 ORDER BY 1
