-- Request counts by API area, over a time window that ends now. `project` is a pattern that is searched in
-- the request URL. Buckets without requests are omitted unless `fill` asks for them. Members are read by
-- path, without UNNEST: an event of any tenant whose request is not an object must not fail the query.
with dates as (
  select case @interval
    when '15min' then timestamp_sub(current_timestamp(), interval 15 minute)
    when '30min' then timestamp_sub(current_timestamp(), interval 30 minute)
    when 'minutely' then timestamp_sub(current_timestamp(), interval 60 minute)
    when 'hourly' then timestamp_sub(current_timestamp(), interval 1 hour)
    when '1hr' then timestamp_sub(current_timestamp(), interval 1 hour)
    when '3hr' then timestamp_sub(current_timestamp(), interval 3 hour)
    when '1day' then timestamp_sub(current_timestamp(), interval 1 day)
    when '3day' then timestamp_sub(current_timestamp(), interval 3 day)
    else timestamp_sub(current_timestamp(), interval 7 day)
  end as start
),
chart_counts as (
  select
    cast(case
      when @interval in ('minutely', '15min', '30min', '1hr') then timestamp_trunc(t.timestamp, minute)
      when @interval in ('hourly', '3hr', '1day') then timestamp_trunc(t.timestamp, hour)
      else timestamp_trunc(t.timestamp, day)
    end as datetime) as timestamp,
    countif(t.metadata.request.path like '%/rest%') as total_rest_requests,
    countif(t.metadata.request.path like '%/storage%') as total_storage_requests,
    countif(t.metadata.request.path like '%/auth%') as total_auth_requests,
    countif(t.metadata.request.path like '%/realtime%') as total_realtime_requests
  from dates
  cross join sources.edge_logs as t
  where t.timestamp >= dates.start
    and regexp_contains(t.metadata.request.url, @project)
  group by timestamp
)
select
  timestamp,
  ifnull(c.total_rest_requests, 0) as total_rest_requests,
  ifnull(c.total_storage_requests, 0) as total_storage_requests,
  ifnull(c.total_auth_requests, 0) as total_auth_requests,
  ifnull(c.total_realtime_requests, 0) as total_realtime_requests
from chart_counts as c
full join (
  select cast(bucket as datetime) as timestamp
  from dates
  cross join unnest(case
    when @fill != 'zero' then []
    when @interval in ('minutely', '15min', '30min', '1hr') then generate_timestamp_array(
      timestamp_trunc(start, minute), timestamp_trunc(current_timestamp(), minute), interval 1 minute)
    when @interval in ('hourly', '3hr', '1day') then generate_timestamp_array(
      timestamp_trunc(start, hour), timestamp_trunc(current_timestamp(), hour), interval 1 hour)
    else generate_timestamp_array(
      timestamp_trunc(start, day), timestamp_trunc(current_timestamp(), day), interval 1 day)
  end) as bucket
) as buckets using (timestamp)
order by timestamp
