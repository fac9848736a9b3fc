-- name: union_by_name
-- reference: select id, name from people union all select id, name from people where id > 3 order by id, name
select id, name from people union all by name select name, id from people where id > 3 order by id, name
-- name: union_by_name_takes_the_names_of_the_first_arm
-- reference: select 1 as A, 'x' as b union all select 2, 'y' order by A
select 1 as A, 'x' as b union all by name select 'y' as B, 2 as a order by A
-- name: strict_corresponding_is_by_name
-- reference: select 1 as a, 'x' as b union all select 2, 'y' order by a
select 1 as a, 'x' as b union all strict corresponding select 'y' as b, 2 as a order by a
-- name: union_corresponding_keeps_what_all_arms_have
select id, name, score from people union all corresponding select score, id, joined from people order by id, score
-- name: inner_by_name_is_corresponding
-- reference: select id, score from people union all select id, score from people order by id, score
select id, name, score from people inner union all by name select score, id, joined from people order by id, score
-- name: left_union_by_name
-- reference: select 1 as a, 'x' as b, 1.5 as c union all select null, 'y', 2.5 order by b
select 1 as a, 'x' as b, 1.5 as c left outer union all by name select true as d, 2.5 as c, 'y' as b order by b
-- name: full_union_by_name
-- reference: select 1 as a, 'x' as b, cast(null as bool) as c union all select null, 'y', true order by b
select 1 as a, 'x' as b full outer union all by name select true as c, 'y' as b order by b
-- name: outer_alone_is_full
-- reference: select 1 as a, cast(null as int64) as b union all select null, 2 order by a
select 1 as a outer union all corresponding select 2 as b order by a
-- name: full_union_of_three_arms
-- reference: select 1 as a, null as b, null as c union all select null, 2, null union all select 4, null, 3.5 order by a, b, c
select 1 as a full union all by name select 2 as b full union all by name select 3.5 as c, 4 as a order by a, b, c
-- name: left_union_of_three_arms
-- reference: select 1 as a, 2 as b union all select null, 3 union all select 5, null order by a, b
select 1 as a, 2 as b left union all corresponding select 3 as b, 4 as c left union all corresponding select 5 as a, 6 as c order by a, b
-- name: by_name_on_some_columns
-- reference: select 2 as b, 1 as a union all select 3, 4 order by b
select 1 as a, 2 as b, 0 as c union all by name on (b, a) select 3 as b, 4 as a, 'z' as d order by b
-- name: corresponding_by_some_columns
-- reference: select 2 as b union all select 3 order by b
select 1 as a, 2 as b union all corresponding by (b) select 3 as b, 4 as a order by b
-- name: full_by_name_on_columns_of_either_arm
-- reference: select null as c, 1 as a union all select 4, null order by a
select 1 as a, 2 as b full union all by name on (c, a) select 3 as b, 4 as c order by a
-- name: left_by_name_on_columns_of_the_first
-- reference: select 2 as b, 1 as a union all select 3, null order by b
select 1 as a, 2 as b left union all by name on (b, a) select 3 as b, 4 as c order by b
-- name: union_distinct_by_name_compares_matched_columns
-- reference: select 1 as a union distinct select 1 union distinct select 2 order by a
select 1 as a, 'x' as b inner union distinct by name select 1 as a, 'y' as c inner union distinct by name select 2 as a, 'y' as c order by a
-- name: except_by_name
-- reference: select mod(id, 3) as a, id > 3 as b from people except distinct select 1, true order by a, b
select mod(id, 3) as a, id > 3 as b from people except distinct by name select true as b, 1 as a order by a, b
-- name: intersect_by_name
-- reference: select mod(id, 3) as a, id > 3 as b from people intersect distinct select mod(id, 3), id > 4 from people order by a, b
select mod(id, 3) as a, id > 3 as b from people intersect distinct corresponding select id > 4 as b, mod(id, 3) as a, 'z' as c from people order by a, b
-- name: by_name_behind_from
-- reference: select t.id, t.name from people as t union all select id, null from people where id = 1 order by id, name
select t.id, t.name from people as t left union all by name select id from people where id = 1 order by id, name
-- name: by_name_in_pipes
-- reference: select 1 as a, 2 as b union all select 4, 3 union all select 5, 6 order by a
select 1 as a, 2 as b |> union all by name (select 3 as b, 4 as a), (select 5 as a, 6 as b) |> order by a
-- name: full_by_name_in_pipes
-- reference: select id, null as z from people union all select null, 1 order by id
from people |> select id |> full outer union all by name (select 1 as z) |> order by id
