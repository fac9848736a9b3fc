-- name: group_by_a_struct
select t.a, count(*) as n, sum(v) as s from (select struct(mod(id, 3) as a, name is null as b) as t, id as v from people) group by t order by t.a, n
-- name: group_by_a_struct_with_nulls
select k, count(*) as n from unnest([struct(struct(1 as a, cast(null as string) as b) as k), struct(struct(1, null)), struct(struct(null, null)), struct(null), struct(null), struct(struct(null, 'x'))]) group by k order by k.a, k.b, n
-- name: group_by_a_constructed_struct
select struct(mod(id, 2) as odd) as k, count(*) as n from people group by k order by k.odd
-- name: group_by_a_nested_struct
select k.inner_one.x as x, count(*) as n from (select struct(struct(mod(id, 2) as x) as inner_one, true as t) as k from people) group by k order by x
-- name: distinct_structs
select distinct t from unnest([struct(1 as a, 'x' as b), (1, 'x'), (2, null), (2, null)]) as t order by t.a
-- name: distinct_as_struct
select count(*) as n from (select distinct as struct mod(id, 2) as a, true as b from people)
-- name: count_of_distinct_structs
select count(distinct struct(mod(id, 2) as a, mod(id, 3) as b)) as n, count(distinct struct(mod(id, 2))) as m from people
-- name: windows_by_a_struct
select id, count(*) over (partition by struct(mod(id, 2), mod(id, 3))) as n, sum(id) over (partition by struct(mod(id, 2)) order by id) as s from people order by id
-- name: joins_on_structs
select x.id, y.id as other from people as x join people as y on struct(mod(x.id, 3), x.id > 2) = struct(mod(y.id, 3), y.id > 2) and x.id < y.id order by x.id, y.id
-- name: sets_of_structs
select t.a from (select struct(1 as a) as t union distinct select struct(1) union distinct select struct(2)) order by t.a
-- name: structs_in_sets
select (select count(*) from (select struct(1 as a, 'x' as b) as t intersect distinct select struct(1, 'x'))) as i, (select count(*) from (select struct(1 as a) as t except distinct select struct(2))) as e
-- name: group_by_a_struct_of_times
select k, count(*) as n from (select struct(date_trunc(joined, year) as y, extract(month from joined) > 6 as h) as k from people) group by k order by k.y, n
-- name: group_by_a_row
select t.odd, count(*) as n from (select as struct mod(id, 2) as odd, id > 3 as late from people) as t group by t order by 1, 2
-- name: group_by_nothing
-- reference: select count(*) as n, max(id) as m from people
select count(*) as n, max(id) as m from people group by ()
-- name: group_by_nothing_of_no_rows
-- reference: select 1 as a, count(*) as n, max(id) as m from people where false
select 1 as a, count(*) as n, max(id) as m from people where false group by ()
-- name: group_by_nothing_without_aggregates
-- reference: select 'a' as a
select 'a' as a from people group by ()
-- name: group_by_nothing_with_having
-- reference: select count(*) as n from people having count(*) > 1
select count(*) as n from people group by () having count(*) > 1
