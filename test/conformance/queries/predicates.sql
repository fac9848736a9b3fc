-- name: like_any_and_all
-- reference: select id, s, s like any ('a%', '%b%') as a, (s not like 'a%' or s not like '%b%') as b, s like all ('%a%', '%b%') as c, (s not like '%a%' and s not like '%b%') as d, s like some ('%1%', null) as e, s like all ('%', null) as f, s like any (t) as g from texts order by id
select id, s, s like any ('a%', '%b%') as a, s not like any ('a%', '%b%') as b, s like all ('%a%', '%b%') as c, s not like all ('%a%', '%b%') as d, s like some ('%1%', null) as e, s like all ('%', null) as f, s like any (t) as g from texts order by id
-- name: like_any_of_nested_texts
select t.id, r.path like any ('%a%', '/b%') as a, r.method like all ('G%', '%T') as b from edge_logs as t left join unnest(t.metadata) as m left join unnest(m.request) as r where not coalesce(r.method like any ('PO%', 'PU%'), false) order by t.id
-- name: and_or_not_of_three_values
select id, p and q as a, p or q as b, not p as c, not (p and q) as d from flags order by id
-- name: is_true_is_false
select id, p is true as a, p is not true as b, q is false as c, q is not false as d, p is null as e, q is not null as f from flags order by id
-- name: equality_of_booleans
select id, p = q as a, p <> q as b, p != q as c, p < q as d, p >= q as e from flags order by id
-- name: is_distinct_from
select id, p is distinct from q as a, p is not distinct from q as b from flags order by id
-- name: is_distinct_from_null
select id, i is distinct from null as a, i is not distinct from j as b, f is not distinct from f as c from numbers order by id
-- name: is_distinct_from_nan
select id, f is not distinct from f as a, f is distinct from 0 as b, f = f as c from extremes order by id
-- name: comparisons_of_numbers
select id, i < j as a, i <= j as b, i > f as c, f >= g as d, i = f as e, i <> j as h from numbers order by id
-- name: comparisons_with_nan
select id, f < 0 as a, f > 0 as b, f = f as c, f <> f as d, f <= f as e from extremes order by id
-- name: comparison_of_large_whole_numbers_with_float
select id, i = 9007199254740992.0 as a, i > 9007199254740992.0 as b, i < 9.3e15 as c from numbers where id in (6, 7) order by id
-- name: between
select id, i between 0 and 42 as a, i not between j and 100 as b, f between g and 5 as c from numbers order by id
-- name: between_texts_and_times
select id, s between 'a' and 'i' as a from texts order by id
-- name: in_list
select id, i in (0, 7, 42) as a, i not in (0, 7) as b, i in (1, null) as c, i not in (1, null) as d from numbers order by id
-- name: in_list_of_expressions
select id, i in (j, f, 255) as a, s in ('abc', upper('x')) as b from numbers join texts using (id) order by id
-- name: in_unnest
select id, 5 in unnest(a) as x, 2 in unnest(a) as y, cast(null as int64) in unnest(a) as z, 2 not in unnest(a) as w from lists order by id
-- name: in_unnest_of_literals
select id, i in unnest([7, 42, null]) as a, i in unnest(array<int64>[]) as b from numbers order by id
-- name: in_subquery
select id, i in (select j from numbers where j > 1) as a, i not in (select j from numbers where j is not null) as b, i in (select j from numbers) as c from numbers order by id
-- name: not_in_with_nulls
select id from people where boss not in (select boss from people where boss is not null and boss > 1) order by id
-- name: not_in_null_list_gives_nothing
select count(*) as n from people where id not in (select boss from people)
-- name: exists_subquery
select id, exists (select 1 from visits v where v.person = p.id) as a, not exists (select 1 from people q where q.boss = p.id) as b from people p order by id
-- name: case_searched
select id, case when i > 10 then 'big' when i < 0 then 'minus' when i is null then 'none' else 'small' end as a, case when i > 1000 then i end as b from numbers order by id
-- name: case_of_value
select id, case team when 'red' then 1 when 'blue' then 2.5 else 0 end as a, case team when null then 'n' when 'green' then 'g' end as b from people order by id
-- name: if_and_ifnull
select id, if(i > 5, 'y', 'n') as a, if(i is null, 0.5, i) as b, ifnull(i, -1) as c, ifnull(f, j) as d from numbers order by id
-- name: coalesce_and_nullif
select id, coalesce(i, j, 0) as a, coalesce(null, f, g) as b, nullif(i, j) as c, nullif(i, 7) as d from numbers order by id
-- name: conditionals_do_not_run_other_branches
select id, if(i = 0, null, 10 / i) as a, case when i = 0 then -1 else div(100, i) end as b, coalesce(nullif(i, 0), 1) as c from numbers where id in (1, 2, 3) order by id
-- name: where_takes_only_true
select id from flags where p and q
-- name: where_null_is_no_row
select count(*) as n from flags where p = cast(null as bool) or null
-- name: comparison_of_texts_with_times
select id, ts > '2026-01-01' as a, d = '2024-02-29' as b, dt <= '2026-05-01 10:20:30.123456' as c, t < '12:00:00' as e from times order by id
-- name: comparison_of_bytes
select id, b = b'abc' as a, b < b'b' as c, b > b'\x80' as d from flags order by id
-- name: comparison_of_structs
select (1, 'a') = (1, 'a') as a, (1, 'a') <> (1, 'b') as b, struct(1 as x, cast(null as string) as y) = struct(1, 'a') as c, (1, 2) in ((1, 2), (3, 4)) as d
-- name: null_literals
select null is null as a, cast(null as int64) = cast(null as int64) as b, (null and false) as c, (null or true) as d, not cast(null as bool) as e, null is not null as f
-- name: or_of_likes
select id from texts where s like 'h%' or s like 'H%' order by id
-- name: nan_equals_nothing
select id, nullif(f, f) as a, f in (f, 1.5) as b, f in unnest([f, 2.5]) as c, f in (select e.f from extremes e) as d, f not in (select e.f from extremes e where e.f is not null) as e, case f when f then 1 else 0 end as g from extremes order by id
-- name: nan_in_lists_with_null
select id, f in (0.0, cast('nan' as float64)) as a, f in (1.5, null) as b, f in unnest([cast('nan' as float64), null]) as c, f not in (cast('nan' as float64), 7.5) as d from extremes order by id
-- name: float_subqueries_with_nulls
select id, f in (select e.f from extremes e where is_nan(e.f)) as a, f not in (select e.f from extremes e where is_nan(e.f)) as b, f in (select e.f from extremes e where e.f is null) as c, f in (select -0.0) as d, f not in (select e.f from extremes e where false) as g, f in (select e.i from extremes e where e.i is not null) as h from extremes order by id
-- name: structs_with_null_in_unnest
select (1, ('a', null)) in unnest([(1, ('b', 3)), (1, ('a', 3))]) as a, (1, ('a', null)) in unnest([(1, ('b', 3)), (2, ('a', null))]) as b, (1, 2) in unnest([(1, 2), (1, null)]) as c, (1, 3) in unnest([(1, 2), (1, null)]) as d, (2, 3) in unnest([(1, 2), (1, null)]) as e, (1, 3) not in unnest([(1, 2), (1, null)]) as f, (1, cast('nan' as float64)) in unnest([(1, cast('nan' as float64))]) as g
-- name: structs_with_null_in_unnest_of_columns
select id, (team, score) in unnest((select array_agg((team, score)) from people)) as a, (team, id) in unnest([struct('red' as t, 1 as i), (null, 2), ('blue', null)]) as b from people order by id
-- name: nullif_of_structs
select o, nullif(s, (1, 2)) is null as a, nullif(s, s) is null as b, nullif(s, (cast(null as int64), 3)) is null as c from unnest([struct(1 as a, 2 as b), struct(1, null), struct(null, null)]) as s with offset as o order by o
