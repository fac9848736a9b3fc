-- name: chained_unnest
select t.id, r.method, h.x_real_ip from edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r cross join unnest(r.headers) as h order by t.id
-- name: unnest_of_bare_column_and_field
select id, r.path from edge_logs cross join unnest(metadata) as m cross join unnest(request) as r cross join unnest(cf) as c where c.country = 'DE' order by id
-- name: unnest_without_as
select id, resp.status_code from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) resp order by id
-- name: alias_shadows_column
select id, metadata.project, request.method from edge_logs cross join unnest(metadata) as metadata cross join unnest(metadata.request) as request order by id
-- name: comma_unnest
select t.id, r.url from edge_logs t, unnest(t.metadata) m, unnest(m.request) r where r.method = 'GET' order by t.id
-- name: left_join_unnest_keeps_rows
select t.id, s.status_code, s.origin_time from edge_logs t left join unnest(t.metadata) m on true left join unnest(m.response) s on true order by t.id
-- name: left_join_unnest_without_on
select t.id, c.country from edge_logs t left join unnest(t.metadata) m left join unnest(m.request) r left join unnest(r.cf) c order by t.id
-- name: inner_join_unnest
select t.id, c.country from edge_logs t inner join unnest(t.metadata) m inner join unnest(m.request) r inner join unnest(r.cf) c order by t.id
-- name: parenthesised_unnest_tree
select t.id, m.project from (edge_logs t cross join unnest(t.metadata) m) left join unnest(m.response) s order by t.id
-- name: full_path_without_unnest
-- reference: select t.id, r.path, s.status_code as code from edge_logs t left join unnest(t.metadata) m left join unnest(m.request) r left join unnest(m.response) s order by t.id
select t.id, t.metadata.request.path, metadata.response.status_code as code from edge_logs t order by t.id
-- name: positions_in_records
-- reference: select id, metadata[safe_offset(0)].request[safe_offset(0)].method as method, metadata[safe_offset(0)].project as project from edge_logs order by id
select id, metadata[offset(0)].request[safe_offset(0)].method as method, metadata[0].project as project from edge_logs order by id
-- name: bare_fields
select method, status_code, count(*) as n from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r cross join unnest(m.response) as s group by method, status_code order by method, status_code
-- name: bare_column_wins_over_member
select id, event_message from edge_logs cross join unnest(metadata) as m where id > 'e5' order by id
-- name: unnest_of_coalesced
select t.id, count(s.status_code) as n from edge_logs t left join unnest(t.metadata) m left join unnest(coalesce(m.response, [])) s group by t.id order by t.id
-- name: missing_object_is_null
-- reference: select t.id, array_length(m.response) > 0 as has from edge_logs t cross join unnest(t.metadata) m order by t.id
select t.id, m.response is not null as has from edge_logs t cross join unnest(t.metadata) m order by t.id
-- name: unknown_member_is_null
-- reference: select id, cast(null as string) as x, 0 as n from edge_logs order by id
select id, m.nothing.at.all as x, countif(m.never is not null) over () as n from edge_logs cross join unnest(metadata) m order by id
-- name: stored_text_compared_with_number
-- reference: select id, cast(status as int64) >= 400 as bad, status = '200' as good, level from auth_logs cross join unnest(metadata) m order by id
select id, m.status >= 400 as bad, m.status = 200 as good, level from auth_logs cross join unnest(metadata) m order by id
-- name: stored_number_compared_with_text
-- reference: select t.id, cast(s.status_code as string) = '404' as found, s.status_code in (200, 201) as ok from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) s order by t.id
select t.id, s.status_code = '404' as found, s.status_code in ('200', '201') as ok from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) s order by t.id
-- name: stored_number_in_like
-- reference: select t.id, cast(s.status_code as string) like '4%' as bad, regexp_contains(cast(s.status_code as string), '^20') as ok from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) s order by t.id
select t.id, s.status_code like '4%' as bad, regexp_contains(s.status_code, '^20') as ok from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) s order by t.id
-- name: aggregates_of_members
select count(s.status_code) as n, sum(s.status_code) as s, avg(s.origin_time) as a, min(s.status_code) as lo, max(s.origin_time) as hi from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) s
-- name: aggregates_of_text_members
-- reference: select min(r.method) as lo, max(r.path) as hi, count(distinct r.method) as n, string_agg(distinct r.method, '+' order by r.method) as l from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r
select min(r.method) as lo, max(r.path) as hi, count(distinct r.method) as n, string_agg(distinct r.method, '+' order by r.method) as l from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r
-- name: sum_of_numbers_in_text
-- reference: select sum(safe_cast(h.content_length as float64)) as s, avg(safe_cast(h.content_length as float64)) as a from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r cross join unnest(r.headers) h
select sum(h.content_length) as s, avg(h.content_length) as a from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r cross join unnest(r.headers) h
-- name: arithmetic_with_members
select t.id, s.status_code + 1 as a, s.status_code / 100 as b, s.origin_time * 2 as c, -s.status_code as d, s.status_code * s.origin_time as e from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) s order by t.id
-- name: text_functions_of_members
select t.id, upper(r.path) as u, length(r.path) as l, substr(r.path, 2, 4) as s, concat(r.method, ' ', r.path) as c, starts_with(r.path, '/rest') as w, split(r.path, '/')[safe_offset(1)] as area from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r order by t.id
-- name: text_functions_of_numbers
-- reference: select t.id, concat('x', cast(s.status_code as string)) as c, length(cast(s.status_code as string)) as l from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) s order by t.id
select t.id, concat('x', s.status_code) as c, length(s.status_code) as l from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) s order by t.id
-- name: casts_of_members
select t.id, cast(s.status_code as string) as a, cast(s.status_code as float64) / 2 as b, safe_cast(r.path as int64) as c, cast(r.method as string) as d from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r cross join unnest(m.response) s order by t.id
-- name: order_by_member
select t.id, s.origin_time from edge_logs t cross join unnest(t.metadata) m left join unnest(m.response) s order by s.origin_time desc, t.id
-- name: group_by_member_with_null
select c.country, count(*) as n from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r left join unnest(r.cf) c group by c.country order by c.country
-- name: group_by_path_alias
-- reference: select r.method as m, count(*) as n from edge_logs t left join unnest(t.metadata) x left join unnest(x.request) r group by m order by n desc, m
select metadata.request.method as m, count(*) as n from edge_logs group by m order by n desc, m
-- name: timestamp_alias_in_group_and_order
select timestamp_trunc(timestamp, hour) as timestamp, count(*) as count from edge_logs where timestamp >= '2026-05-01 10:30:00' group by timestamp order by timestamp
-- name: timestamp_between_texts
select id from edge_logs where timestamp between '2026-05-01 10:00:30' and '2026-05-01T11:00:00Z' order by timestamp
-- name: timestamp_compared_with_function
select id from edge_logs where timestamp > timestamp('2026-05-01 10:59:00') and timestamp < timestamp_add(timestamp '2026-05-01 10:59:00+00', interval 1 hour) order by id
-- name: datetime_cast_of_trunc
select cast(timestamp_trunc(timestamp, minute) as datetime) as timestamp, count(timestamp) as count from edge_logs group by timestamp order by timestamp desc limit 4
-- name: timestamp_against_microseconds
-- reference: select id from edge_logs where timestamp >= timestamp_micros(1777633200000000) order by id
select id from edge_logs where timestamp >= 1777633200000000 order by id
-- name: json_functions_on_record
-- reference: select id, (select r.method from unnest(metadata) m, unnest(m.request) r) as a, (select cast(s.status_code as string) from unnest(metadata) m, unnest(m.response) s) as b from edge_logs order by id
select id, json_value(metadata, '$.request.method') as a, json_value(metadata, '$.response.status_code') as b from edge_logs order by id
-- name: json_functions_on_message
select id, json_value(event_message, '$.level') as l, json_query(event_message, '$.auth_event') as e, json_value(event_message, '$.auth_event.action') as a from auth_logs order by id
-- name: whole_record_as_value
select t.id, m as metadata from edge_logs t cross join unnest(t.metadata) m order by t.id
-- name: record_members_as_values
select t.id, m.request, r.headers from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r where t.id in ('e1', 'e5', 'e6', 'e7') order by t.id
-- name: star_of_record
select t.id, m.* from function_edge_logs t cross join unnest(t.metadata) m order by t.id, m.function_id
-- name: star_of_inner_record
select t.id, h.* from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r cross join unnest(r.headers) h order by t.id
-- name: union_of_streams
select id, 'edge' as source from edge_logs union all select id, 'function' from function_edge_logs union all select id, 'auth' from auth_logs union all select id, 'log' from function_logs order by source, id
-- name: union_of_unnested_streams
select r.method, count(*) as n from (select m.request from edge_logs cross join unnest(metadata) m) t cross join unnest(t.request) r group by r.method order by r.method
-- name: join_of_streams
select e.id, f.event_message as f, a.event_message as a from edge_logs e left join function_edge_logs f on f.id = e.id left join auth_logs a on a.id = e.id where f.id is not null or a.id is not null order by e.id
-- name: join_on_members
-- reference: select f.id, l.id as log, fm.function_id from function_edge_logs f cross join unnest(f.metadata) fm join (select l.id, lm.function_id from function_logs l cross join unnest(l.metadata) lm) l on l.function_id = fm.function_id order by f.id, log
select f.id, l.id as log, fm.function_id from function_edge_logs f cross join unnest(f.metadata) fm join function_logs l on l.metadata.function_id = fm.function_id order by f.id, log
-- name: members_compared_with_each_other
select t.id, fm.execution_time_ms > s.status_code as slow from function_edge_logs t cross join unnest(t.metadata) fm cross join unnest(fm.response) s order by t.id, t.timestamp
-- name: latest_per_group
select method, path, id from (select r.method, r.path, t.id, row_number() over (partition by r.method order by t.timestamp desc) as n from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r) where n = 1 order by method
-- name: error_rate_per_hour
select timestamp_trunc(t.timestamp, hour) as h, countif(s.status_code >= 400) as errors, count(*) as n, round(safe_divide(countif(s.status_code >= 400), count(*)), 3) as rate from edge_logs t left join unnest(t.metadata) m left join unnest(m.response) s group by h order by h
-- name: filled_hours
with hours as (select h from unnest(generate_timestamp_array(timestamp '2026-05-01 09:00:00+00', timestamp '2026-05-01 13:00:00+00', interval 1 hour)) as h) select h, count(e.id) as n from hours left join edge_logs e on timestamp_trunc(e.timestamp, hour) = h group by h order by h
-- name: top_paths
select r.path, count(*) as n, array_agg(distinct r.method order by r.method) as methods from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r group by r.path order by n desc, r.path limit 3
-- name: time_to_next_event
select id, timestamp_diff(lead(timestamp) over (order by timestamp), timestamp, second) as s from edge_logs order by timestamp
-- name: running_count_of_errors
select t.id, countif(s.status_code >= 500) over (order by t.timestamp) as n from edge_logs t left join unnest(t.metadata) m left join unnest(m.response) s order by t.timestamp
-- name: text_search_of_messages
select id from edge_logs where regexp_contains(lower(event_message), 'get|patch') and event_message not like '%ws%' order by id
-- name: message_parts
select id, trim(split(event_message, '|')[safe_offset(1)]) as code, regexp_extract(event_message, r'\d+\.\d+\.\d+\.\d+') as ip from edge_logs order by id
-- name: in_list_of_members
select t.id from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r where r.method in ('GET', 'HEAD') and r.path not in ('/realtime/v1/ws') order by t.id
-- name: member_is_distinct
select t.id, s.origin_time is distinct from 12 as a, s.origin_time is null as b from edge_logs t cross join unnest(t.metadata) m left join unnest(m.response) s order by t.id
-- name: coalesce_of_members
select t.id, coalesce(c.country, r.method) as a, ifnull(c.country, '??') as b, if(c.country = 'DE', 1, 0) as d from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r left join unnest(r.cf) c order by t.id
-- name: exists_over_unnest
select t.id from edge_logs t where exists (select 1 from unnest(t.metadata) m, unnest(m.response) s where s.status_code >= 400) order by t.id
-- name: correlated_over_unnest
select t.id, (select s.origin_time from unnest(t.metadata) m, unnest(m.response) s) as o from edge_logs t order by t.id
-- name: cte_over_unnest
with requests as (select t.id, t.timestamp, r.method, r.path, s.status_code from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r left join unnest(m.response) s), errors as (select * from requests where status_code >= 400) select e.id, e.method, count(*) over () as n from errors e order by e.id
-- name: members_between
select t.id, s.status_code from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) s where s.status_code between 400 and 499 or s.origin_time not between 0 and 100 order by t.id
-- name: distinct_members
select distinct r.method, c.country from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r left join unnest(r.cf) c order by r.method, c.country
-- name: having_on_member_aggregate
select r.method, avg(s.origin_time) as a from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r cross join unnest(m.response) s group by r.method having avg(s.origin_time) > 20 order by a
-- name: extreme_members
-- reference: select t.id, greatest(s.status_code, s.origin_time) as g, least(s.status_code, 300) as l from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) s order by t.id
select t.id, greatest(s.status_code, s.origin_time) as g, least(s.status_code, 300) as l from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) s order by t.id
-- name: net_host_of_member
select t.id, net.host(r.url) as host from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r order by t.id
-- name: array_agg_of_members
select r.method, array_agg(s.status_code ignore nulls order by s.status_code) as codes, array_agg(t.id order by t.timestamp desc limit 2) as ids from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r left join unnest(m.response) s group by r.method order by r.method
-- name: arrays_of_members_as_text
select array_to_string(array_agg(r.method order by t.id), ',') as a, array_to_string([min(r.method), 'x', max(r.path)], ' ') as b, array_to_string(array(select u.method from edge_logs e cross join unnest(e.metadata) em cross join unnest(em.request) u order by e.id limit 2), '+') as c from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r
-- name: arrays_of_members_searched
with a as (select array_agg(s.status_code ignore nulls) as c, array_agg(s.origin_time ignore nulls) as o from edge_logs t, unnest(t.metadata) m, unnest(m.response) s) select 404 in unnest(c) as found, 30 in unnest(o) as cut, 30.5 in unnest(o) as whole, (select max(x) from unnest(c) as x) as hi from a
-- name: arrays_of_members_beside_others
select array_concat(array_agg(r.method order by t.id), ['x']) as a, if(count(*) > 1, array_agg(r.method order by t.id desc limit 2), ['none']) as b, coalesce(array_agg(r.path order by t.id limit 1), []) as c from edge_logs t, unnest(t.metadata) m, unnest(m.request) r
-- name: array_of_members_in_a_union
select [r.method] as a, [struct(r.path as p)] as b from edge_logs t, unnest(t.metadata) m, unnest(m.request) r union all select ['x'], [struct('y')]
-- name: structs_of_members_in_a_union
select struct(r.method as a, s.origin_time as b) as x from edge_logs t, unnest(t.metadata) m, unnest(m.request) r, unnest(m.response) s union all select struct('x', 1)
-- name: structs_of_members_compared
with q as (select t.id, struct(r.method as a, s.status_code as c) as x from edge_logs t, unnest(t.metadata) m, unnest(m.request) r left join unnest(m.response) s) select id, x = ('GET', 200) as eq, x in (('GET', 200), ('POST', 201)) as among, x in (select ('PATCH', 503)) as found from q
-- name: structs_of_members_unnested
select t.id, x.k, x.v from edge_logs t, unnest(t.metadata) m, unnest(m.response) s, unnest([struct('code' as k, s.status_code as v), ('time', s.origin_time), ('one', 1)]) as x order by t.id, x.k
-- name: structs_of_members_of_two_kinds
select t.id, x.a, x.b from edge_logs t, unnest(t.metadata) m, unnest(m.response) s, unnest([struct(s.status_code as a, s.origin_time as b), struct(1, 2)]) as x order by t.id, x.a
-- name: computed_members_where_whole_numbers_are_taken
select t.id, mod(s.status_code + 1, 7) as a, div(s.status_code * 2, 100) as b, s.status_code - 1 & 7 as c, timestamp_seconds(s.status_code * 10) as d, timestamp_add(t.timestamp, interval s.status_code - 1 second) as e, substr(t.event_message, s.status_code - 198) as f, [10, 20, 30][safe_offset(s.status_code - 200)] as g, generate_array(s.status_code, s.status_code + 2) as h from edge_logs t, unnest(t.metadata) m, unnest(m.response) s where s.status_code < 600 order by t.id
-- name: sums_of_members_where_whole_numbers_are_taken
with q as (select sum(s.status_code) as n, max(coalesce(s.status_code, 0)) as hi from edge_logs t, unnest(t.metadata) m, unnest(m.response) s) select mod(n, 7) as a, n & 1 as b, div(n, hi) as c, repeat('x', n - 1800) as d, timestamp_millis(n) as e from q
-- name: computed_members_with_a_fraction_where_whole_numbers_are_taken
-- reference: select t.id, mod(if(s.origin_time * 2 = trunc(s.origin_time * 2), cast(s.origin_time * 2 as int64), null), 7) as a from edge_logs t, unnest(t.metadata) m, unnest(m.response) s order by t.id
select t.id, mod(s.origin_time * 2, 7) as a from edge_logs t, unnest(t.metadata) m, unnest(m.response) s order by t.id
-- name: members_formatted
select format('%s %10s %d|%05d|%x', r.method, r.path, s.status_code, s.status_code + 1, s.status_code) as a, format('%.2f %5.1f', s.origin_time, s.origin_time / 7) as b from edge_logs t, unnest(t.metadata) m, unnest(m.request) r, unnest(m.response) s
-- name: sums_of_members_formatted
select format('%d of %d', sum(s.status_code), count(*)) as a from edge_logs t, unnest(t.metadata) m, unnest(m.response) s
-- name: members_as_bytes
select to_base64(cast(r.path as bytes)) as a, to_hex(cast(r.method as bytes)) as b from edge_logs t, unnest(t.metadata) m, unnest(m.request) r
-- name: series_between_nested_numbers
select t.id, generate_array(s.origin_time, s.origin_time + 1) as a, (select max(mod(e, 2)) from unnest(generate_array(s.status_code, s.status_code + 1)) e) as x from edge_logs as t left join unnest(t.metadata) as m left join unnest(m.response) as s order by t.id
-- name: json_value_of_a_member
-- reference: select t.id, r.method as a from edge_logs t left join unnest(t.metadata) m left join unnest(m.request) r order by t.id
select t.id, json_value(m.request, '$.method') as a from edge_logs t left join unnest(t.metadata) m on true order by t.id
