-- name: scalar_subquery
select id, (select count(*) from visits) as n, (select city from teams where team = 'blue') as c from people order by id
-- name: scalar_subquery_of_no_rows
select id, (select city from teams where size > 99) as c from people order by id
-- name: scalar_subquery_of_two_rows
-- fails: more than one row
select (select city from teams where size > 0) as c
-- name: correlated_scalar_subquery
select id, (select t.city from teams t where t.team = p.team) as city from people p order by id
-- name: correlated_twice_deep
select p.id, (select (select count(*) from visits v where v.person = q.id and v.ms > p.id) from people q where q.id = p.boss) as n from people p order by p.id
-- name: correlated_exists
select id from people p where exists (select 1 from visits v where v.person = p.id and v.ms > 20) order by id
-- name: correlated_not_exists
select id from people p where not exists (select 1 from visits where person = p.id) order by id
-- name: correlated_in
select id from people p where '/a' in (select path from visits v where v.person = p.id) order by id
-- name: in_subquery_with_null
select id, boss in (select id from people where id < 3) as a, id in (select boss from people) as b from people order by id
-- name: in_subquery_of_no_rows
select id, id in (select person from visits where false) as a, boss not in (select person from visits where false) as b from people order by id
-- name: subquery_in_where
select id from people where score > (select avg(score) from people) order by id
-- name: subquery_in_having
select team, count(*) as n from people group by team having count(*) > (select min(size) from teams) order by team
-- name: subquery_in_order_by
select id from people p order by (select count(*) from visits v where v.person = p.id) desc, id
-- name: subquery_in_group_by
select (select t.size from teams t where t.team = p.team) as size, count(*) as n from people p group by 1 order by 1
-- name: subquery_in_case
select id, case when exists (select 1 from people q where q.boss = p.id) then 'boss' else 'staff' end as kind from people p order by id
-- name: subquery_in_aggregate
select sum((select count(*) from visits v where v.person = p.id)) as n, max((select t.size from teams t where t.team = p.team)) as m from people p
-- name: subquery_in_join_condition
select p.id, t.city from people p join teams t on t.size = (select count(*) from people q where q.team = p.team) order by p.id, t.city
-- name: subquery_in_function
select id, concat(name, '/', coalesce((select t.city from teams t where t.team = p.team), '?')) as x from people p order by id
-- name: subquery_in_qualify
select id from people where true qualify row_number() over (order by id) > (select count(*) - 5 from teams) + 2 order by id
-- name: subquery_in_array
select [(select min(id) from people), (select max(id) from people)] as a
-- name: subquery_in_limit_of_outer
select x from (select id as x from people where id in (select boss from people)) order by x desc limit 2
-- name: subquery_with_same_alias
select p.id from people p where p.id = (select max(p.id) from people p where p.team = 'red')
-- name: subquery_reads_outer_alias_over_table
select t.team, (select count(*) from people t where t.team is not null) as n from teams t order by t.city
-- name: correlated_with_limit
select p.id, (select v.path from visits v where v.person = p.id order by v.ts desc limit 1) as last_path from people p order by p.id
-- name: correlated_with_distinct
select p.id, array(select distinct v.path from visits v where v.person = p.id order by v.path) as paths from people p order by p.id
-- name: correlated_with_union
select p.id, (select sum(x) from (select p.id as x union all select p.boss)) as s from people p order by p.id
-- name: correlated_unnest
select p.id, (select string_agg(c, '.' order by c) from unnest(split(p.name, '')) as c) as letters from people p order by p.id
-- name: correlated_with_window
select p.id, (select max(n) from (select row_number() over (order by v.ts) as n from visits v where v.person = p.id)) as n from people p order by p.id
-- name: derived_table_with_aggregate
select avg(n) as a from (select team, count(*) as n from people group by team)
-- name: exists_of_empty_and_full
select exists (select 1 from people where false) as a, exists (select null) as b, not exists (select * from teams) as c
-- name: null_scalar_subquery_in_arithmetic
select (select score from people where id = 4) + 1 as a, coalesce((select score from people where id = 99), -1) as b
-- name: subquery_comparisons
select id from people where (select count(*) from visits v where v.person = people.id) >= 2 order by id
-- name: struct_in_subquery
select id from people where (team, boss) in (select (team, boss) from people where id in (3, 6)) order by id
-- name: values_by_union_subquery
select x.a, x.b from (select 1 as a, 'x' as b union all select 2, 'y' union all select 3, null) as x where x.b is null or x.a < 2 order by 1
-- name: correlated_above_full_join
select p.id from people p where exists (select 1 from (select v.ms as y from people q full join visits v on v.person = q.id) as z where z.y <= p.id * 20) order by p.id
-- name: correlated_side_of_full_join
select p.id, (select count(*) from (select x.id from people x where x.id <= p.id) q full join visits v on v.person = q.id) as n from people p order by p.id
-- name: correlated_condition_of_full_join
select p.id, (select count(v.path) * 100 + count(*) from people q full join visits v on v.person = q.id and v.person >= p.id) as n from people p order by p.id
-- name: correlated_condition_of_left_join
select p.id, (select count(v.path) * 100 + count(*) from people q left join visits v on v.person = q.id and v.person >= p.id) as n from people p order by p.id
-- name: correlated_condition_of_right_join
select p.id, (select count(v.path) * 100 + count(*) from visits v right join people q on v.person = q.id and q.id > p.id) as n from people p order by p.id
-- name: full_join_on_a_side_of_a_join_with_subquery
select t.team, count(*) as n from teams t left join (select q.id, q.team, v.path from people q full join visits v on v.person = q.id) x on x.team = t.team and x.id in (select person from visits) group by t.team order by t.team
-- name: aggregate_of_an_outer_column
select p.id, (select count(p.team) from unnest([1, 2, 3])) as n, (select max(p.id) from unnest([1]) as e) as m from people p order by p.id
-- name: aggregate_of_an_outer_column_alone
select (select count(p.team) from unnest([1])) as n from people p order by n
-- name: aggregate_of_outer_and_inner_columns
select p.id, (select sum(p.id * e) from unnest([1, 2]) as e) as s, (select string_agg(p.name, '-') from unnest([1, 2])) as t from people p order by p.id
-- name: group_by_an_outer_column
select p.id, (select count(*) from visits v where v.person = p.id group by p.id, p.team having max(p.id) > 0) as n from people p order by p.id
-- name: window_over_an_outer_column
select p.id, array(select sum(p.id) over (order by e) from unnest([1, 2]) as e order by e) as s from people p order by p.id
-- name: aggregate_of_an_outer_column_in_where
select p.id from people p where (select max(p.id) from unnest([1, 2])) > 3 order by p.id
-- name: aggregate_of_a_column_two_levels_up
select p.id, (select max((select count(p.id) from unnest([3, 4]))) from unnest([1, 2])) as n from people p order by p.id
-- name: in_subquery_of_floats
select 1 in (select 1.0) as a, -0.0 in (select 0.0) as b, cast('nan' as float64) in (select cast('nan' as float64)) as c, cast(null as float64) in (select cast('nan' as float64)) as d, cast('nan' as float64) in (select e from unnest([1.5, null]) as e) as e
-- name: in_subquery_of_structs
select (1, 2) in (select (1, cast(null as int64))) as a, (1, 2) in (select (3, cast(null as int64))) as b, (cast('nan' as float64), 1) in (select (cast('nan' as float64), 1)) as c, (1, 2) not in (select (1, 2) from unnest([1]) where false) as d
-- name: correlated_in_subquery_of_structs
select p.id, (p.team, p.id) in (select (q.team, q.id) from people q where q.id < 4) as a from people p order by p.id
-- name: macro_of_an_outer_column_as_a_field
select p.id, (select struct(nullif(p.name, 'Ada') as a, array_to_string([p.name, p.team], '-') as b, array_reverse([p.name, p.team]) as c)) as s, (select cast(net.host(concat('http://', p.name)) as bytes)) as h from people p order by p.id
