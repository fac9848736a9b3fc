-- Calls of endpoints, by endpoint and token. A row of the source represents `calls` similar calls
-- (decision 40), so counts are sums, and quantiles weight each row by `calls`.
with usage as (
  select
    t.timestamp,
    cast(t.metadata.endpoint_id as string) as endpoint_id,
    cast(t.metadata.endpoint as string) as endpoint,
    cast(t.metadata.version as int64) as version,
    cast(t.metadata.token as string) as token,
    cast(t.metadata.status as int64) as status,
    cast(t.metadata.code as string) as code,
    cast(t.metadata.cache as string) as cache,
    cast(t.metadata.caller_query as bool) as caller_query,
    cast(t.metadata.calls as int64) as calls,
    cast(t.metadata.elapsed_ms as float64) as elapsed_ms,
    cast(t.metadata.rows as int64) as row_count,
    cast(t.metadata.bytes as int64) as bytes
  from sources.svc_calls as t
  where t.timestamp > ifnull(@iso_timestamp_start, timestamp_sub(current_timestamp(), interval 1 day))
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
    and (@token is null or t.metadata.token = @token)
    and (@endpoint is null or t.metadata.endpoint = @endpoint or t.metadata.endpoint_id = lower(@endpoint))
)
select
  endpoint_id,
  max_by(endpoint, timestamp) as endpoint,
  token,
  sum(calls) as calls,
  sum(if(status >= 400, calls, 0)) as errors,
  sum(if(status >= 500, calls, 0)) as server_errors,
  -- The ⌈n·k/100⌉-th fastest call.
  min(if(upto * 100 >= total * 50, elapsed_ms, null)) as p50_ms,
  min(if(upto * 100 >= total * 95, elapsed_ms, null)) as p95_ms,
  min(if(upto * 100 >= total * 99, elapsed_ms, null)) as p99_ms,
  max(elapsed_ms) as max_ms,
  sum(row_count) as row_count,
  sum(bytes) as bytes,
  sum(if(cache in ('hit', 'unchanged'), calls, 0)) as cache_hits,
  sum(if(cache in ('miss', 'refresh'), calls, 0)) as cache_misses,
  sum(if(cache = 'stale', calls, 0)) as cache_stale,
  sum(if(caller_query, calls, 0)) as caller_queries,
  max(timestamp) as last_call
from (
  select
    *,
    sum(calls) over (
      partition by endpoint_id, token order by elapsed_ms rows between unbounded preceding and current row
    ) as upto,
    sum(calls) over (partition by endpoint_id, token) as total
  from usage
)
group by endpoint_id, token
order by calls desc, endpoint_id, token
