-- Slow calls, newest first. Only rows of slow calls have a request id, which leads to their log lines.
with slow as (
  select
    t.timestamp,
    cast(t.metadata.request_id as string) as request_id,
    cast(t.metadata.trace_id as string) as trace_id,
    cast(t.metadata.endpoint_id as string) as endpoint_id,
    cast(t.metadata.endpoint as string) as endpoint,
    cast(t.metadata.version as int64) as version,
    cast(t.metadata.token as string) as token,
    cast(t.metadata.status as int64) as status,
    cast(t.metadata.code as string) as code,
    cast(t.metadata.cache as string) as cache,
    cast(t.metadata.caller_query as bool) as caller_query,
    cast(t.metadata.elapsed_ms as float64) as elapsed_ms,
    t.metadata.stages as stages_ms,
    cast(t.metadata.rows as int64) as row_count,
    cast(t.metadata.bytes as int64) as bytes
  from sources.svc_calls as t
  where t.metadata.request_id is not null
    and t.timestamp > ifnull(@iso_timestamp_start, timestamp_sub(current_timestamp(), interval 1 day))
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
    and (@token is null or t.metadata.token = @token)
    and (@endpoint is null or t.metadata.endpoint = @endpoint or t.metadata.endpoint_id = lower(@endpoint))
)
select * from slow
order by timestamp desc, request_id
limit 100
