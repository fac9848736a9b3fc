-- Raw log rows of one project. Nine tables, one per source, all limited to the project, the time range and
-- the tier's retention window. The endpoint returns the newest edge requests; of equal times, the last to
-- arrive comes first. A caller query can read only these tables.
with edge_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from sources.edge_logs as t
  where t.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
    and t.timestamp > timestamp_sub(current_timestamp(), interval
      case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day)
),
database_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from sources.database_logs as t
  where t.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
    and t.timestamp > timestamp_sub(current_timestamp(), interval
      case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day)
),
function_edge_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from sources.function_edge_logs as t
  cross join unnest(t.metadata) as m
  where m.project_ref = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
    and t.timestamp > timestamp_sub(current_timestamp(), interval
      case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day)
),
function_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from sources.function_logs as t
  cross join unnest(t.metadata) as m
  where m.project_ref = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
    and t.timestamp > timestamp_sub(current_timestamp(), interval
      case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day)
),
auth_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from sources.auth_logs as t
  where t.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
    and t.timestamp > timestamp_sub(current_timestamp(), interval
      case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day)
),
realtime_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from sources.realtime_logs as t
  cross join unnest(t.metadata) as m
  where m.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
    and t.timestamp > timestamp_sub(current_timestamp(), interval
      case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day)
),
storage_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from sources.storage_logs as t
  cross join unnest(t.metadata) as m
  where m.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
    and t.timestamp > timestamp_sub(current_timestamp(), interval
      case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day)
),
rest_api_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from sources.rest_api_logs as t
  where t.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
    and t.timestamp > timestamp_sub(current_timestamp(), interval
      case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day)
),
pooler_logs as (
  select t.timestamp, t.id, t.event_message, t.metadata
  from sources.pooler_logs as t
  where t.project = @project
    and (@iso_timestamp_start is null or t.timestamp > @iso_timestamp_start)
    and (@iso_timestamp_end is null or t.timestamp <= @iso_timestamp_end)
    and t.timestamp > timestamp_sub(current_timestamp(), interval
      case @project_tier when 'PRO' then 7 when 'PAYG' then 90 when 'ENTERPRISE' then 90 else 1 end day)
)
select id, timestamp, event_message, metadata
from edge_logs
order by timestamp desc
limit 100
