-- name: select_without_from
select 1 as one, 'x' as s, null as n, 1.5, true
-- name: select_star
select * from teams order by size
-- name: select_star_except
select * except (score, joined) from people order by id
-- name: select_star_replace
select * replace (upper(name) as name, id * 10 as id) from people order by id
-- name: select_star_except_replace
select * except (boss, joined) replace (coalesce(score, 0) as score) from people order by id
-- name: select_qualified_star
select p.*, t.city from people p join teams t on t.team = p.team order by p.id
-- name: select_two_stars_with_same_names
select p.id, p.team, t.team as other, t.size from people p, teams t where t.size = 3 order by p.id
-- name: select_qualified_star_except
select t.* except (size), p.name from people p join teams t using (team) order by p.id
-- name: implicit_names
select p.name, p.id + 1, upper(p.team), p.id from people p order by p.id
-- name: select_distinct
select distinct team from people order by team
-- name: select_distinct_pairs
select distinct boss, team from people order by boss, team
-- name: select_distinct_expressions
select distinct mod(i, 2) as m, i is null as n from numbers where id <> 7 order by m, n
-- name: select_distinct_floats
select distinct f from extremes where f is null or is_nan(f) or f = 0 order by f
-- name: select_trailing_comma
select id, name, from people order by id
-- name: select_semicolon
select id from people order by id;
-- name: select_comments
select id, -- the first
  /* the
     second */ name # and the last
from people -- all
order by id
-- name: quoted_names
select `id` as `my id`, p.`name` as `select` from `people` as p order by `my id`
-- name: names_without_case
SELECT ID, Name AS NAME2 FROM PEOPLE P WHERE p.Team = 'red' ORDER BY iD
-- name: keywords_as_names
select 1 as `from`, 2 as date, 3 as timestamp, 4 as value, 5 as type, 6 as count, 7 as `order`, 8 as row_number
-- name: alias_beside_function_of_its_name
select count(*) as count, max(id) as max, min(id) as min, sum(id) as sum from people
-- name: nested_subqueries
select a.n from (select b.n + 1 as n from (select c.id as n from people c where c.id < 4) b) a order by a.n desc
-- name: where_conditions
select id from people where (team = 'red' or team is null) and not (id = 7) and id between 1 and 6 order by id
-- name: where_means_the_column
select id, upper(team) as team from people where team = 'red' order by id
-- name: order_by_alias_over_column
select id, -id as id2, score as id3 from people order by id2
-- name: order_by_alias_of_column_name
select -id as id, name from people order by id
-- name: order_by_ordinal
select name, id from people order by 2 desc
-- name: order_by_two_ordinals
select team, name from people order by 1 desc, 2
-- name: order_by_expression
select id, name from people order by length(name), id * -1
-- name: order_by_not_selected
select name from people order by joined desc nulls last, id
-- name: order_by_nulls
select id, boss from people order by boss, id
-- name: order_by_nulls_descending
select id, boss from people order by boss desc, id
-- name: order_by_nulls_first_descending
select id, boss from people order by boss desc nulls first, id
-- name: order_by_nulls_last_ascending
select id, boss from people order by boss asc nulls last, id desc
-- name: order_by_nan_and_inf
select id, f from extremes order by f, id
-- name: order_by_nan_and_inf_descending
select id, f from extremes order by f desc, id
-- name: order_by_booleans_and_bytes
select id, p, b from flags order by p desc, b, id
-- name: order_by_aggregate
select team from people group by team order by count(*) desc, max(id)
-- name: limit_and_offset
select id from people order by id limit 2 offset 3
-- name: limit_beyond
select id from people order by id limit 100
-- name: offset_near_the_end
select id from people order by id desc limit 10 offset 5
-- name: limit_in_subquery
select sum(id) as s from (select id from people order by id desc limit 3)
-- name: order_in_subquery_with_offset
select name from (select name, id from people order by id limit 3 offset 1) order by name desc
-- name: with_table
with reds as (select * from people where team = 'red') select name from reds order by name
-- name: with_tables_in_order
with a as (select id, boss from people), b as (select a.id, c.id as boss from a join a as c on a.boss = c.id), c as (select count(*) as n from b) select n from c
-- name: with_inside_subquery
select (with x as (select max(id) as m from people) select m from x) as m, id from teams join people using (team) order by id
-- name: with_shadows_table
with people as (select 1 as id, 'me' as name) select * from people
-- name: with_shadows_with
with a as (select 1 as x) select (with a as (select x + 1 as x from a) select x from a) as inner_x, x from a
-- name: with_used_twice
with r as (select team, count(*) as n from people group by team) select x.team, y.team as other from r x join r y on x.n >= y.n and x.team <> y.team order by 1, 2
-- name: with_of_union
with u as (select id from people where id < 3 union all select 10) select count(*) as n, sum(id) as s from u
-- name: with_columns_of_expressions
with t as (select id + 1 as next_id, upper(name) as big from people) select next_id, big from t where next_id > 5 order by 1
-- name: deep_expression
select ((((((((1 + 2) * 3) - 4) * 5) + 6) * 7) - 8) * 9) as v, case when 1 = 1 then case when 2 = 2 then case when 3 = 3 then 'deep' end end end as w
-- name: many_columns
select id, id + 1 as c1, id + 2 as c2, id + 3 as c3, id + 4 as c4, id + 5 as c5, id + 6 as c6, id + 7 as c7, id + 8 as c8, id + 9 as c9, id + 10 as c10, id + 11 as c11 from people where id = 1
-- name: select_as_struct_in_array
select array(select as struct team, size from teams where team is not null order by team) as t
-- name: row_as_value
select p from (select id, name from people where id < 3) as p order by p.id
-- name: duplicate_expressions
select id as a, id as b, id + 0 as c from people where id = 2
-- name: boolean_expressions_as_columns
select id, id > 3 as big, team = 'red' as red, score is null as none, id in (1, 2) as few from people order by id
-- name: structs_are_named_by_the_first
select if(true, struct(1 as a), struct(2.5 as b)) as x, case when true then struct(1 as a, 'x' as b) else struct(2.5, 'y') end as y, if(true, (1, 2), struct(2.5 as b, 3 as c)) as z
-- name: structs_of_an_array_are_named_by_the_first
select x.k, x.v from unnest([struct('a' as k, null as v), ('b', 2.5), struct('c' as other, 3)]) as x
-- name: structs_of_an_array_without_a_first_name
select x from unnest([struct(1, 2 as b), struct(2 as a, 3), struct(2 as a, 3.5 as c)]) as x
-- name: structs_compared_field_by_field
select id, (id, boss) = (3.0, 1) as a, (select struct(id as a)) = struct(1.0) as b, (id, name) in (select (person, 'Ada') from visits) as c from people
