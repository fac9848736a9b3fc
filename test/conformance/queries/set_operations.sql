-- name: union_all
select id from people where id < 3 union all select size from teams order by 1
-- name: union_distinct
select team from people union distinct select team from teams order by 1
-- name: intersect_distinct
select team from people intersect distinct select team from teams order by 1
-- name: except_distinct
select team from people except distinct select team from teams order by 1
-- name: except_other_side
select team from teams except distinct select team from people order by 1
-- name: union_keeps_duplicates
select boss from people union all select boss from people order by 1
-- name: union_names_of_first
select id as a, name as b from people where id = 1 union all select size, city from teams where size = 3 order by a
-- name: union_of_null_columns
select 1 as a, null as b union all select 2, 'x' union all select null, null order by a, b
-- name: union_null_first_takes_later_type
select null as a, null as ts union all select 1.5, timestamp '2026-05-01 00:00:00+00' order by a
-- name: union_widens_numbers
select 1 as n union all select 2.5 union all select 3 order by n
-- name: union_in_parentheses
(select id from people where id = 1) union all (select id from people where id = 2) order by id desc
-- name: union_with_inner_limits
(select id from people order by id desc limit 2) union all (select id from people order by id limit 1) order by id
-- name: union_with_outer_limit
select id from people union all select person from visits order by id desc limit 3
-- name: nested_set_operations
(select 1 as x union all select 2 union all select 2) except distinct (select 1 intersect distinct select 1) order by x
-- name: union_of_different_operators
(select id from people union distinct select person from visits where person is not null) except distinct select 3 order by 1
-- name: intersect_with_nulls
select boss from people intersect distinct select person from visits order by 1
-- name: except_with_nulls
select boss from people except distinct select 1 order by 1
-- name: set_operation_of_structured_rows
select id, team from people where id < 4 intersect distinct select id, team from people where team = 'red' order by id
-- name: union_of_aggregates
select 'people' as what, count(*) as n from people union all select 'teams', count(*) from teams union all select 'visits', count(*) from visits order by what
-- name: union_in_subquery
select sum(n) as s from (select count(*) as n from people union all select count(*) from teams)
-- name: union_in_in
select id from people where id in (select 1 union all select 3 union all select null) order by id
-- name: union_in_array
select array(select 3 as x union all select 1 order by x) as a
-- name: union_of_thirteen
select 1 as n, 'a' as s, null as x union all select 2, 'b', null union all select 3, 'c', null union all select 4, null, null union all select 5, 'e', null union all select 6, 'f', 1.5 union all select 7, 'g', null union all select 8, 'h', null union all select 9, 'i', null union all select 10, 'j', null union all select 11, 'k', 2 union all select 12, 'l', null union all select 13, 'm', null order by n
-- name: union_distinct_of_nan_and_null
select f from extremes where id in (3, 4) union distinct select f from extremes where id in (3, 4) order by f
-- name: union_distinct_of_mixed_numbers
select 1 as n union distinct select 1.0 union distinct select 2 order by n
-- name: union_of_with
with a as (select 1 as x), b as (select 2 as x) select x from a union all select x from b order by x
-- name: union_of_windows
select id, row_number() over (order by id desc) as n from people where id < 3 union all select size, row_number() over (order by size) from teams where size > 1 order by 1, 2
-- name: union_of_literals_and_times
select date '2026-05-01' as d, 'x' as s union all select '2026-05-02', 'y' order by d
-- name: union_of_arrays
select [1, 2] as a, 1 as o union all select [3], 2 union all select null, 3 order by o
-- name: union_empty_arms
select id from people where false union all select id from people where id = 5 union all select id from people where null
