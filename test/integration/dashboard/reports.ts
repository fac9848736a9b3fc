const joins = `
  cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
  cross join unnest(request.headers) as headers`;
const route = 'request.path, request.method, request.search, response.status_code';
const routeColumns = `
  request.path as path,
  request.method as method,
  request.search as search,
  response.status_code as status_code,
  count(t.id) as count`;

/** The seven queries of the report on the API, which the page sends at the same time. */
export const apiReport = {
  totalRequests: `
--report: requests
select
  cast(timestamp_trunc(t.timestamp, hour) as datetime) as timestamp,
  count(t.id) as count
FROM edge_logs t${joins}
GROUP BY timestamp
ORDER BY timestamp ASC`,
  topRoutes: `
-- report: top routes
select${routeColumns}
from edge_logs t${joins}
group by ${route}
order by count desc
limit 10`,
  errorCounts: `
-- report: error counts
select
  cast(timestamp_trunc(t.timestamp, hour) as datetime) as timestamp,
  count(t.id) as count
FROM edge_logs t${joins}
WHERE response.status_code >= 400
GROUP BY timestamp
ORDER BY timestamp ASC`,
  topErrorRoutes: `
-- report: top error routes
select${routeColumns}
from edge_logs t${joins}
where response.status_code >= 400
group by ${route}
order by count desc
limit 10`,
  responseSpeed: `
-- report: response speed
select
  cast(timestamp_trunc(t.timestamp, hour) as datetime) as timestamp,
  avg(response.origin_time) as avg
FROM edge_logs t${joins}
GROUP BY timestamp
ORDER BY timestamp ASC`,
  topSlowRoutes: `
-- report: top slow routes
select${routeColumns},
  avg(response.origin_time) as avg
from edge_logs t${joins}
group by ${route}
order by avg desc
limit 10`,
  networkTraffic: `
-- report: network traffic
select
  cast(timestamp_trunc(t.timestamp, hour) as datetime) as timestamp,
  coalesce(safe_divide(sum(cast(coalesce(headers.content_length, "0") as int64)), 1000000), 0) as ingress_mb,
  coalesce(safe_divide(sum(cast(coalesce(resp_headers.content_length, "0") as int64)), 1000000), 0) as egress_mb,
FROM edge_logs t${joins}
  cross join unnest(response.headers) as resp_headers
GROUP BY timestamp
ORDER BY timestamp ASC`,
} as const;

/** What the explorer sends when a stream is opened. */
export const previews = {
  edge_logs: `select id, edge_logs.timestamp, event_message, request.method, request.path, response.status_code
from edge_logs
cross join unnest(metadata) as m
cross join unnest(m.request) as request
cross join unnest(m.response) as response
order by timestamp desc
limit 100`,
  database_logs: `select database_logs.timestamp, id, event_message, parsed.error_severity
from database_logs
cross join unnest(metadata) as m
cross join unnest(m.parsed) as parsed
order by timestamp desc
limit 100`,
  function_edge_logs: `select id, function_edge_logs.timestamp, event_message, response.status_code, request.method, m.function_id, m.execution_time_ms
from function_edge_logs
cross join unnest(metadata) as m
cross join unnest(m.response) as response
cross join unnest(m.request) as request
order by timestamp desc
limit 100`,
  function_logs: `select id, function_logs.timestamp, event_message, metadata.event_type, metadata.function_id, metadata.level
from function_logs
cross join unnest(metadata) as metadata
order by timestamp desc
limit 100`,
  auth_logs: `select id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error
from auth_logs
cross join unnest(metadata) as metadata
order by timestamp desc
limit 100`,
  realtime_logs:
    'select id, realtime_logs.timestamp, event_message, metadata from realtime_logs order by timestamp desc limit 100',
  storage_logs:
    'select id, storage_logs.timestamp, event_message, metadata from storage_logs order by timestamp desc limit 100',
  rest_api_logs:
    'select id, rest_api_logs.timestamp, event_message, metadata from rest_api_logs order by timestamp desc limit 100',
  pooler_logs:
    'select id, pooler_logs.timestamp, event_message, metadata from pooler_logs order by timestamp desc limit 100',
} as const;

/** How many rows there are by now: what the explorer asks again and again for the badge of new rows. */
export const countQuery = `SELECT count(*) as count
FROM edge_logs
cross join unnest(metadata) as m
cross join unnest(m.request) as request
cross join unnest(m.response) as response`;

/** The bars above the list. */
export const chartQuery = `
SELECT
-- chart of events
  timestamp_trunc(t.timestamp, minute) as timestamp,
  count(CASE WHEN NOT (response.status_code >= 400) THEN 1 END) as ok_count,
  count(CASE WHEN response.status_code >= 400 AND response.status_code < 500 THEN 1 END) as warning_count,
  count(CASE WHEN response.status_code >= 500 THEN 1 END) as error_count,
FROM edge_logs t
  cross join unnest(t.metadata) as metadata
  cross join unnest(metadata.request) as request
  cross join unnest(metadata.response) as response
GROUP BY timestamp
ORDER BY timestamp ASC`;
