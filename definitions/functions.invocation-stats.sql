-- Statistics of a project's function invocations, in time buckets that end now. Buckets without records
-- are omitted unless `fill` asks for them. Members are read by path, without UNNEST, so that a record whose
-- response is not an object counts as one without a response.
with arr as (
  select case @interval
    when '5min' then generate_timestamp_array(
      timestamp_trunc(timestamp_sub(current_timestamp(), interval 5 minute), second),
      timestamp_trunc(current_timestamp(), second), interval 1 second)
    when '15min' then generate_timestamp_array(
      timestamp_trunc(timestamp_sub(current_timestamp(), interval 15 minute), minute),
      timestamp_trunc(current_timestamp(), minute), interval 1 minute)
    when '1hr' then generate_timestamp_array(
      timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 hour), minute),
      timestamp_trunc(current_timestamp(), minute), interval 1 minute)
    when '7day' then generate_timestamp_array(
      timestamp_trunc(timestamp_sub(current_timestamp(), interval 7 day), day),
      timestamp_trunc(current_timestamp(), day), interval 1 day)
    else generate_timestamp_array(
      timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 day), hour),
      timestamp_trunc(current_timestamp(), hour), interval 1 hour)
  end as d
),
dates as (
  select timestamp from arr cross join unnest(arr.d) as timestamp
),
agg as (
  select
    case @interval
      when '5min' then timestamp_trunc(f.timestamp, second)
      when '15min' then timestamp_trunc(f.timestamp, minute)
      when '1hr' then timestamp_trunc(f.timestamp, minute)
      when '7day' then timestamp_trunc(f.timestamp, day)
      else timestamp_trunc(f.timestamp, hour)
    end as timestamp,
    min(safe_cast(m.execution_time_ms as float64)) as min_execution_time,
    max(safe_cast(m.execution_time_ms as float64)) as max_execution_time,
    avg(safe_cast(m.execution_time_ms as float64)) as avg_execution_time,
    approx_quantiles(safe_cast(m.execution_time_ms as float64), 100)[offset(95)] as p95_execution_time,
    approx_quantiles(safe_cast(m.execution_time_ms as float64), 100)[offset(99)] as p99_execution_time,
    count(*) as count,
    countif(m.response.status_code >= 400) as error_count,
    countif(m.response.status_code between 100 and 199) as one_xx_status_code_count,
    countif(m.response.status_code between 200 and 299) as two_xx_status_code_count,
    countif(m.response.status_code between 300 and 399) as three_xx_status_code_count,
    countif(m.response.status_code between 400 and 499) as four_xx_status_code_count,
    countif(m.response.status_code between 500 and 599) as five_xx_status_code_count
  from sources.function_edge_logs as f
  cross join unnest(f.metadata) as m
  where m.project_ref = @project
    and (@function_id is null or m.function_id = @function_id)
    and f.timestamp >= case @interval
      when '5min' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 5 minute), second)
      when '15min' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 15 minute), minute)
      when '1hr' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 hour), minute)
      when '7day' then timestamp_trunc(timestamp_sub(current_timestamp(), interval 7 day), day)
      else timestamp_trunc(timestamp_sub(current_timestamp(), interval 1 day), hour)
    end
    and f.timestamp < case @interval
      when '5min' then timestamp_add(timestamp_trunc(current_timestamp(), second), interval 1 second)
      when '15min' then timestamp_add(timestamp_trunc(current_timestamp(), minute), interval 1 minute)
      when '1hr' then timestamp_add(timestamp_trunc(current_timestamp(), minute), interval 1 minute)
      when '7day' then timestamp_add(timestamp_trunc(current_timestamp(), day), interval 1 day)
      else timestamp_add(timestamp_trunc(current_timestamp(), hour), interval 1 hour)
    end
  group by timestamp
)
select
  d.timestamp,
  a.min_execution_time,
  a.max_execution_time,
  a.avg_execution_time,
  a.p95_execution_time,
  a.p99_execution_time,
  ifnull(a.count, 0) as count,
  ifnull(a.error_count, 0) as error_count
from dates as d
left join agg as a on a.timestamp = d.timestamp
where @fill = 'zero' or a.timestamp is not null
order by timestamp
