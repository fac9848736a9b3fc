/** Queries of a caller over the nine tables, each with an order that leaves no choice. */
export const callerQueries: readonly string[] = [
  // Plain reads and counts.
  'select * from edge_logs order by id',
  'select count(*) as n from edge_logs',
  'select count(*) as n, count(distinct id) as ids, min(timestamp) as oldest, max(timestamp) as newest from database_logs',
  'select approx_count_distinct(id) as n from pooler_logs',
  'select max(id) as last, min(id) as first, max(event_message) as message from auth_logs',
  'select id from edge_logs where true or 1 = 1 order by id',
  "select id from edge_logs where id like '%' or event_message is null order by id",
  'select id from edge_logs where not (id is null) order by id limit 1000',
  'select id from realtime_logs order by timestamp desc, id limit 5 offset 1',
  'select distinct regexp_extract(id, r"^[A-Z]+") as tag from storage_logs order by tag',
  // Unnesting and paths; values that fail where another tenant's are read.
  "select r.path from edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r where r.method = 'GET' order by r.path",
  'select m.n, cast(m.n as int64) as whole, 1 / cast(m.n as float64) as inverse from edge_logs t cross join unnest(t.metadata) m order by id',
  'select id, mod(1000, cast(m.n as int64)) as rest from function_edge_logs t, unnest(t.metadata) m order by id',
  'select w from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.words) as w order by w, t.id',
  'select id, (select string_agg(w, "," order by w) from unnest(m.words) as w) as words from rest_api_logs t, unnest(t.metadata) m order by id',
  'select id, metadata.request.headers.user_agent as agent from edge_logs order by id',
  'select id, metadata.only_BIRCH as other, metadata.only_ALDER as own from edge_logs order by id',
  'select r.* from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) r order by t.id',
  'select id, h.user_agent from edge_logs t cross join unnest(metadata) as metadata cross join unnest(metadata.request) as request cross join unnest(request.headers) as h order by id',
  'select p.error_severity, count(*) as n from database_logs t cross join unnest(metadata) m cross join unnest(m.parsed) p group by 1 order by 1',
  "select json_value(event_message, '$.text') as text, json_value(event_message, '$.n') as n from auth_logs order by id",
  'select to_json_string(metadata) as json from pooler_logs order by id',
  // Joins.
  'select a.id, b.id as other from edge_logs a cross join database_logs b order by 1, 2',
  'select a.id, b.id as other from edge_logs a full join database_logs b on false order by 1, 2',
  'select a.id, b.id as other from edge_logs a right join function_logs b using (timestamp) order by 1, 2',
  'select a.id, b.id as other from edge_logs a left join edge_logs b on a.timestamp < b.timestamp order by 1, 2',
  'select count(*) as n from edge_logs, database_logs, function_edge_logs',
  // Subqueries, also correlated.
  'select id, (select count(*) from database_logs) as n from edge_logs order by id',
  'select id, (select max(d.id) from database_logs d where d.timestamp <= e.timestamp) as before from edge_logs e order by id',
  'select id from edge_logs where exists (select 1 from storage_logs) order by id',
  'select id from edge_logs e where not exists (select 1 from storage_logs s where s.timestamp = e.timestamp) order by id',
  'select id from edge_logs where timestamp in (select timestamp from realtime_logs) order by id',
  'select array(select id from pooler_logs order by id) as ids',
  'select array_length(array(select as struct * from auth_logs)) as n',
  'select * from (select * from (select id, timestamp from function_logs)) order by id',
  // WITH, shadowing and set operations.
  'with edge_logs as (select id from edge_logs union all select id from database_logs) select id from edge_logs order by id',
  'with a as (select * from edge_logs), b as (select * from a), edge_logs as (select * from b) select count(*) as n from edge_logs',
  'select id from edge_logs union all select id from database_logs union all select id from function_edge_logs union all select id from function_logs union all select id from auth_logs union all select id from realtime_logs union all select id from storage_logs union all select id from rest_api_logs union all select id from pooler_logs order by id',
  'select timestamp from edge_logs intersect distinct select timestamp from database_logs order by timestamp',
  'select id from edge_logs except distinct select id from database_logs order by id',
  // Windows and aggregates.
  'select id, row_number() over (order by timestamp, id) as row, count(*) over () as n, lag(id) over (order by timestamp, id) as before from edge_logs order by id',
  'select id, first_value(id) over (partition by extract(day from timestamp) order by timestamp, id) as first from function_edge_logs order by id',
  'select id from edge_logs qualify row_number() over (partition by metadata.request.method order by timestamp desc, id) = 1 order by id',
  'select timestamp_trunc(timestamp, hour) as timestamp, count(*) as n from edge_logs group by timestamp order by timestamp',
  'select metadata.request.method as method, count(*) as n, avg(cast(metadata.response.origin_time as float64)) as avg_time from edge_logs group by rollup (method) order by method nulls first',
  'select array_agg(id order by id) as ids, string_agg(id, ";" order by id) as text from database_logs',
  'select approx_quantiles(cast(metadata.n as float64), 4) as quarters from edge_logs',
  'select approx_top_count(metadata.host, 3) as hosts from edge_logs',
  // Parameters of the endpoint.
  "select @project as project, count(*) as n from edge_logs where @project = 'tenant-birch' or @project = 'tenant-alder' or true",
];

/** Fails, by a division by zero, on any event of another tenant that it is computed for. */
const fails = (id: string) => `1 / (case when ${id} like 'BIRCH%' then 0 else 1 end) = 1`;

/**
 * Queries that would tell by their failure whether another tenant's event was looked at, wherever the
 * engine might compute an expression before the project is compared.
 */
export const oracleQueries: readonly string[] = [
  `select id from edge_logs where ${fails('id')} order by id`,
  `select count(*) as n from edge_logs where ${fails('id')} and ${fails('event_message')} and length(id) > 3`,
  `select count(*) as n from edge_logs where length(event_message) > 5 and ${fails('id')} and timestamp > timestamp '2020-01-01'`,
  `select ${fails('id')} as f, id from edge_logs order by id`,
  `select id from edge_logs order by ${fails('id')}, id`,
  `select count(*) as n from edge_logs group by ${fails('id')}`,
  `select count(*) as n from edge_logs having logical_and(${fails('id')})`,
  `select countif(${fails('id')}) as n, max(1 / (case when id like 'BIRCH%' then 0 else 1 end)) as m from edge_logs`,
  `select a.id from edge_logs a join database_logs b on ${fails('a.id')} and a.timestamp = b.timestamp order by 1`,
  `select a.id from edge_logs a left join database_logs b on ${fails('b.id')} and a.timestamp = b.timestamp order by 1`,
  `select id from edge_logs where id in (select id from database_logs where ${fails('id')}) order by id`,
  `select id from edge_logs e where exists (select 1 from database_logs d where ${fails('d.id')} and d.timestamp = e.timestamp) order by id`,
  `select id, sum(cast(1 / (case when id like 'BIRCH%' then 0 else 1 end) as int64)) over (order by id) as s from edge_logs order by id`,
  `select id from edge_logs qualify row_number() over (order by ${fails('id')}, id) <= 5 order by id`,
  `select id from (select * from edge_logs where ${fails('id')}) where ${fails('event_message')} order by id limit 3`,
  `select id from edge_logs where ${fails('id')} order by timestamp desc, id limit 3`,
  'select id from edge_logs t, unnest(t.metadata) m where cast(m.n as int64) > 0 and 1 / cast(m.n as float64) > 0 order by id',
  'select id from edge_logs t, unnest(t.metadata) m, unnest(m.request) r, unnest(r.headers) h where h.user_agent is not null order by id',
  "select id from edge_logs where cast(json_value(event_message, '$.n') as int64) > 0 order by id",
  'select id from edge_logs where cast(array_reverse(split(id, "-"))[offset(0)] as int64) >= 0 order by id',
  'select id from function_edge_logs t, unnest(t.metadata) m where cast(m.execution_time_ms as int64) > 0 order by id',
  'select id from storage_logs where metadata.words[offset(1)] is not null and array_length(array(select w from unnest(metadata.words) w)) > 0 order by id',
];

/** Queries that fail on the tenant's own events, and must say so without quoting any. */
export const failingQueries: readonly string[] = [
  'select 1 / (count(*) - count(*)) as n from edge_logs',
  'select cast(event_message as int64) as n from edge_logs',
];
