-- name: array_length_of_lists
select id, array_length(a) as n, array_length(s) as m from lists order by id
-- name: array_elements
select id, a[safe_offset(0)] as x, a[safe_ordinal(1)] as y, a[safe_offset(5)] as z, a[safe_offset(-1)] as w, s[safe_ordinal(2)] as v from lists order by id
-- name: array_offset_and_ordinal
select a[offset(1)] as x, a[ordinal(1)] as y, a[0] as z, s[offset(id)] as w from lists where id = 1
-- name: array_offset_beyond_the_end
-- fails: beyond the end
select a[offset(3)] as x from lists where id = 1
-- name: array_ordinal_zero
-- fails: before the first
select a[ordinal(0)] as x from lists where id = 1
-- name: array_offset_of_null
select a[offset(0)] as x, [1, 2][safe_offset(cast(null as int64))] as y from lists where id = 4
-- name: array_constructors
select [1, 2, 3] as a, ['a', null] as b, array<float64>[1, 2.5] as c, array<string>[] as d, [true, false] as e, [date '2026-05-01'] as f, [[1][offset(0)], 2] as g
-- name: array_of_structs
select [struct(1 as a, 'x' as b), struct(2, 'y')] as s, [struct(1 as a, 'x' as b)][offset(0)].b as f, array<struct<n int64>>[struct(5)] as t
-- name: array_concat_lists
select id, array_concat(a, [0]) as x, array_concat(a, a) as y, a || [9] as z from lists order by id
-- name: array_concat_of_one_and_null
select array_concat([1]) as a, array_concat([1], cast(null as array<int64>)) as b, array_length(array_concat(array<int64>[], array<int64>[])) as c
-- name: array_reverse_lists
select id, array_reverse(a) as x, array_reverse(s) as y from lists order by id
-- name: array_to_string_lists
select id, array_to_string(s, ',') as x, array_to_string(s, '-', '?') as y, array_to_string(s, '') as z from lists order by id
-- name: generate_array_steps
select generate_array(1, 5) as a, generate_array(0, 10, 3) as b, generate_array(5, 1, -2) as c, generate_array(5, 1) as d, generate_array(1.0, 2.0, 0.5) as e, generate_array(2, 2) as f, generate_array(1, cast(null as int64)) as g
-- name: generate_array_by_zero
-- fails: a step of nothing
select generate_array(1, id, i) as a from numbers where id = 1
-- name: unnest_literals
select x from unnest([3, 1, 2]) as x order by x
-- name: unnest_with_offset
select x, o from unnest(['a', 'b', 'c']) as x with offset as o order by o desc
-- name: unnest_with_offset_unnamed
select x, offset from unnest(['a', 'b']) as x with offset order by offset
-- name: unnest_of_column
select id, x from lists, unnest(a) as x order by id, x
-- name: unnest_left_join
select id, x from lists left join unnest(a) as x order by id, x
-- name: unnest_left_join_with_offset
select id, x, o from lists left join unnest(s) as x with offset as o order by id, o
-- name: unnest_two_columns
select id, x, y from lists, unnest(a) as x, unnest(s) as y where id in (1, 3) order by id, x, y
-- name: unnest_structs
select p.a, p.b from unnest([struct(1 as a, 'x' as b), struct(2, 'y'), struct(cast(null as int64), 'z')]) as p order by p.b
-- name: unnest_structs_by_star
select * from unnest([struct(1 as a, 'x' as b), struct(2, 'y')]) order by a
-- name: unnest_null_and_empty
select count(*) as n from unnest(cast(null as array<int64>)) as x union all select count(*) from unnest(array<int64>[]) as x
-- name: unnest_generated
select n, n * n as square from unnest(generate_array(1, 5)) as n order by n
-- name: unnest_dates
select d, extract(dayofweek from d) as w from unnest(generate_date_array(date '2026-05-01', date '2026-05-07')) as d order by d
-- name: array_subquery
select id, array(select x from unnest(a) as x where x is not null order by x) as sorted from lists order by id
-- name: array_subquery_of_table
select array(select name from people order by id) as a, array(select as struct id, name from people where id < 3 order by id) as b, array(select id from people where false) as c
-- name: array_subquery_correlated
select p.id, array(select v.path from visits v where v.person = p.id order by v.ts) as paths from people p order by p.id
-- name: aggregate_of_unnest
select id, (select sum(x) from unnest(a) as x) as s, (select max(x) from unnest(s) as x) as m, (select count(*) from unnest(a)) as n from lists where id <> 5 order by id
-- name: array_in_conditions
select id from lists where array_length(a) > 0 and 'x' in unnest(s) order by id
-- name: exists_unnest
select id, exists (select 1 from unnest(a) as x where x > 2) as e from lists order by id
-- name: array_of_array_struct
select [struct([1, 2] as inside), struct([3])] as a, (select sum(y) from unnest([struct([1, 2] as inside), struct([3])]) as x, unnest(x.inside) as y) as s
-- name: array_aggregated_and_unnested
select t, x from (select team as t, array_agg(name order by id) as names from people group by team), unnest(names) as x order by t, x
-- name: array_element_of_expression
select split('a,b,c', ',')[offset(1)] as a, split('a,b,c')[safe_offset(9)] as b, array_agg(id order by id)[offset(0)] as c, generate_array(1, 3)[ordinal(3)] as d from people
-- name: array_flatten_words
select word, count(*) as n from texts, unnest(split(lower(s), ' ')) as word where word <> '' group by word having count(*) > 0 order by n desc, word limit 5
-- name: struct_values
select struct(1, 'a', true) as a, struct(1 as x, struct('y' as y) as inside) as b, struct<n int64, s string>(1, 'b') as c, (1, 'two') as d
-- name: struct_fields
select s.x, s.inside.y, s.inside as deep from (select struct(1 as x, struct('y' as y) as inside) as s)
-- name: struct_star
select s.* from (select struct(1 as x, 'b' as y) as s)
-- name: struct_null
select s is null as a, s.x is null as b from (select cast(null as struct<x int64>) as s union all select struct(cast(null as int64) as x)) order by a
-- name: array_of_null_struct_field
select id, array(select struct(x as v, x is null as n) from unnest(a) as x with offset o order by o) as v from lists order by id
-- name: typed_empty_arrays_in_functions
select array_concat(array<int64>[], array<int64>[]) as a, array_reverse(array<string>[]) as b, array_length(array<float64>[]) as c
-- name: series_with_endless_step
select safe.generate_array(1.0, 2.0, cast('-inf' as float64)) as a, safe.generate_array(1.0, x, cast('inf' as float64)) as b, safe.generate_array(x, 2.0, 1) as c, generate_array(x, x + 1, 0.5) as d from unnest([1.0]) as x
-- name: array_first_and_last
select id, safe.array_first(a) as x, safe.array_last(a) as y, safe.array_first(s) as z, safe.array_last(s) as w from lists order by id
-- name: array_first_of_none
-- fails: nothing in it
select array_first(a) as x from lists where id = 2
-- name: array_last_of_none
-- fails: nothing in it
select array_last(array_slice(s, 5, 9)) as x from lists where id = 1
-- name: array_slice_of_lists
select id, array_slice(a, 1, 2) as x, array_slice(s, -2, -1) as y, array_slice(a, -9, 0) as z, array_slice(a, id - 2, id) as w from lists order by id
-- name: array_slice_at_the_edges
select array_slice([1, 2, 3], -9223372036854775808, 9223372036854775807) as a, array_slice([1, 2, 3], 9223372036854775807, 9223372036854775807) as b, array_slice([1, 2, 3], -9223372036854775808, -9223372036854775808) as c, array_slice([1, 2, 3], 2, 0) as d, array_slice([1, 2, 3], -3, -4) as e, array_slice(array<string>[], 0, -1) as f, array_slice([1, 2], cast(null as int64), 1) as g, array_slice([1, 2], 0, cast(null as int64)) as h
-- name: range_bucket_of_numbers
select id, range_bucket(i, [-7, 0, 7, 42]) as a, range_bucket(f, [-1.0, 0.0, 2.5, 1000.0]) as b, range_bucket(i, [0.5, 100.0]) as c from numbers order by id
-- name: range_bucket_of_extremes
select id, range_bucket(f, [cast('-inf' as float64), -0.0, 0.0, cast('inf' as float64)]) as a, range_bucket(i, [-9223372036854775808, 0, 9223372036854775807]) as b from extremes order by id
-- name: range_bucket_of_other_types
select id, range_bucket(d, [date '1970-01-01', date '2026-01-01', date '2026-05-01']) as a, range_bucket(ts, [timestamp '2026-01-01 00:00:00+00']) as b, range_bucket(t, [time '12:00:00', time '12:00:00']) as c, range_bucket(dt, array<datetime>[]) as e from times order by id
-- name: range_bucket_of_texts_and_nothing
select range_bucket('b', ['a', 'b', 'b', 'c']) as a, range_bucket(b'\xff', [b'', b'\xff']) as b, range_bucket(true, [false, true]) as c, range_bucket(1, cast(null as array<int64>)) as d, range_bucket(cast(null as int64), [2, 1]) as e, range_bucket(cast('nan' as float64), [2.0, 1.0]) as f, range_bucket(interval 36 hour, [interval 1 day, interval 2 day]) as g
-- name: range_bucket_of_steps_that_fall
-- fails: not in order
select range_bucket(5, [0, 10, 5]) as a
-- name: range_bucket_with_null
-- fails: a boundary of nothing
select range_bucket(5, [null, 0]) as a
-- name: range_bucket_with_nan
-- fails: a boundary that is no number
select range_bucket(5.0, [0.0, cast('nan' as float64)]) as a
-- name: range_bucket_of_nested_values
select t.id, range_bucket(s.status_code, [200, 300, 400, 500]) as a, range_bucket(s.origin_time, [0.1, 1.0]) as b from edge_logs as t cross join unnest(t.metadata) as m left join unnest(m.response) as s order by t.id
-- name: elements_of_null_arrays
select o, a[offset(i)] as a, a[ordinal(i)] as b, a[safe_offset(i)] as c, a[i] as d from (select cast(null as array<int64>) as a, i, o from unnest([-1, 0, 5, null]) as i with offset as o) order by o
