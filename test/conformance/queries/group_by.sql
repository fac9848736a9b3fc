-- name: group_by_column
select team, count(*) as n from people group by team order by team
-- name: group_by_alias
select upper(team) as t, count(*) as n from people group by t order by t
-- name: group_by_ordinal
select team, boss, count(*) as n from people group by 1, 2 order by 1, 2
-- name: group_by_expression
-- reference: select length(name) as l, count(*) as n from people group by l order by l
select length(name) as l, count(*) as n from people group by length(name) order by l
-- name: group_by_alias_over_column
select mod(id, 2) as id, count(*) as n from people group by id order by id
-- name: group_by_alias_of_column_name_timestamp
select timestamp_trunc(ts, day) as ts, count(*) as n from visits group by ts order by ts
-- name: group_by_qualified_column
select p.team, max(p.score) as m from people p group by p.team order by 1
-- name: group_by_null_and_nan
select f, count(*) as n from (select f from extremes union all select f from extremes) group by f order by f
-- name: group_by_boolean_expression
select score > 7 as good, count(*) as n, min(id) as first from people group by good order by good
-- name: group_by_date_parts
select extract(year from joined) as y, extract(month from joined) as m, count(*) as n from people group by y, m order by y, m
-- name: group_by_case
select case when score >= 8 then 'high' when score is null then 'none' else 'low' end as level, count(*) as n from people group by level order by level
-- name: group_by_all_of_nothing
select count(*) as n, max(score) as m from people where id > 99
-- name: group_by_over_no_rows_keeps_no_group
select (select count(*) from (select team from people where false group by team)) as n
-- name: having_aggregate
select team, count(*) as n from people group by team having count(*) >= 2 order by team
-- name: having_alias
select team, count(*) as n from people group by team having n >= 2 and team is not null order by n desc
-- name: having_without_group
select count(*) as n from people having count(*) > 3
-- name: having_of_key
select team, count(*) as n from people group by team having team like '%e%' order by team
-- name: having_of_other_aggregate
select team from people group by team having max(score) > 7.5 and min(id) < 5 order by team
-- name: group_by_key_in_expression
select concat(team, '!') as t, length(team) as l, count(*) as n from people group by team order by team
-- name: group_by_expression_reused
-- reference: select k + 1 as m, count(*) as n from (select mod(id, 3) as k from people) group by k order by m
select mod(id, 3) + 1 as m, count(*) as n from people group by mod(id, 3) order by m
-- name: group_by_rollup
-- reference: select team, boss, count(*) as n from people group by team, boss union all select team, null, count(*) from people group by team union all select null, null, count(*) from people
select team, boss, count(*) as n from people group by rollup(team, boss)
-- name: group_by_rollup_of_alias
-- reference: select mod(id, 2) as m, sum(id) as s from people group by m union all select null, sum(id) from people
select mod(id, 2) as m, sum(id) as s from people group by rollup(m)
-- name: group_by_rollup_with_having
-- reference: select team, count(*) as n from people group by team having count(*) > 2 union all select null, count(*) from people
select team, count(*) as n from people group by rollup(team) having count(*) > 2
-- name: group_by_struct_field
select s.k as k, sum(s.v) as v from (select struct(team as k, id as v) as s from people) group by s.k order by k
-- name: group_by_bytes
select b, count(*) as n from flags group by b order by b
-- name: group_by_text_with_case
select s, count(*) as n from unnest(['a', 'A', 'a ', 'a', 'á', 'a\u0301', '']) as s group by s order by s
-- name: group_by_json_text
select json_value(j, '$.n') as n, count(*) as c from documents group by n order by n
-- name: count_distinct_in_groups
select team, count(distinct boss) as b, count(boss) as c from people group by team order by team
-- name: group_by_many_keys
select mod(id, 2) as a, team, boss is null as b, score > 5 as c, count(*) as n from people group by 1, 2, 3, 4 order by 1, 2, 3, 4
-- name: group_by_after_join
select t.city, p.boss, count(*) as n from people p join teams t using (team) group by t.city, p.boss order by 1, 2
-- name: group_by_after_unnest
select x, count(*) as n, array_agg(distinct id order by id) as ids from lists, unnest(s) as x group by x order by x
-- name: group_by_two_levels
select n, count(*) as c from (select team, count(*) as n from people group by team) group by n order by n
-- name: group_by_constant_key
select 'all' as what, count(*) as n from people group by what
-- name: group_by_window_of_group
select team, n, sum(n) over (order by team) as running from (select team, count(*) as n from people group by team) order by team
-- name: group_by_large_whole_numbers
select i, count(*) as n from (select i from numbers where id = 7 union all select 9007199254740992 union all select 9007199254740993) group by i order by i
-- name: group_by_hour_with_zone
select timestamp_trunc(ts, hour, 'Asia/Kolkata') as h, count(*) as n, sum(ms) as ms from visits group by h order by h
-- name: grouping_of_rollup
-- by hand: the evaluator does not implement ROLLUP
-- rows: [["blue", 0, 2], ["green", 0, 1], ["red", 0, 3], [null, 0, 1], [null, 1, 7]]
select team, grouping(team) as is_total, count(*) as n from people group by rollup(team) order by is_total, team nulls last
-- name: grouping_of_rollup_in_having
-- by hand: the evaluator does not implement ROLLUP
-- rows: [["BLUE", 1, 2], ["GREEN", 1, 1], ["RED", 1, 3], [null, 1, 1], [null, 11, 7]]
select upper(team) as t, grouping(upper(team)) + if(grouping(boss) = 1, 1, 0) + if(grouping(upper(team)) = 1, 9, 0) as level, count(*) as n from people group by rollup(upper(team), boss) having grouping(boss) = 1 order by level, t nulls last
-- name: grouping_of_rollup_of_a_function
-- by hand: the evaluator does not implement ROLLUP
-- rows: [["b", 0, 2], ["g", 0, 1], ["r", 0, 3], [null, 0, 1], [null, 1, 7]]
select left(team, 1) as t, grouping(left(team, 1)) as is_total, count(*) as n from people group by rollup(t) order by is_total, t nulls last
-- name: grouping_of_two_keys_of_one_column
-- reference: select team as a, team as b, 0 as ga, 0 as gb, count(*) as n from people group by team union all select team, null, 0, 1, count(*) from people group by team union all select null, null, 1, 1, count(*) from people
select a, b, grouping(a) as ga, grouping(b) as gb, count(*) as n from (select team as a, team as b from people) group by rollup(a, b)
-- name: grouping_of_two_keys_of_one_constant
-- reference: select 1 as a, 1 as b, 0 as ga, 0 as gb, 7 as n union all select 1, null, 0, 1, 7 union all select null, null, 1, 1, 7
select a, b, grouping(a) as ga, grouping(b) as gb, count(*) as n from (select 1 as a, 1 as b from people) group by rollup(a, b)
-- name: having_grouping_of_two_keys_of_one_column
-- reference: select team as a, cast(null as string) as b, count(*) as n from people group by team
select a, b, count(*) as n from (select team as a, team as b from people) group by rollup(a, b) having grouping(b) = 1 and grouping(a) = 0
-- name: rollup_of_repeated_keys
-- reference: select score + 1 as x, team, count(*) as n from people group by 1, 2 union all select score + 1, team, count(*) from people group by 1, 2 union all select score + 1, null, count(*) from people group by 1 union all select score + 1, null, count(*) from people group by 1 union all select null, null, count(*) from people
select score + 1 as x, team, count(*) as n from people group by rollup(x, 1, team, team)
-- name: rollup_of_derived_keys
-- reference: select id, id + 1 as y, count(*) as n from people group by id union all select id, id + 1, count(*) from people group by id union all select null, null, count(*) from people
select id, id + 1 as y, count(*) as n from people group by rollup(id, id + 1)
-- name: rollup_of_keys_of_one_column
-- reference: select mod(id, 2) as x, mod(id, 4) as y, count(*) as n from people group by 1, 2 union all select mod(id, 2), null, count(*) from people group by 1 union all select null, null, count(*) from people
select mod(id, 2) as x, mod(id, 4) as y, count(*) as n from people group by rollup(mod(id, 2), mod(id, 4))
-- name: grouping_of_a_repeated_key
-- by hand: the evaluator does not implement ROLLUP
-- rows: [[0, 1], [0, 1], [0, 2], [0, 2], [0, 3], [0, 3], [0, 1], [0, 1], [1, 7]]
select grouping(team) as g, count(*) as n from people group by rollup(team, team) order by g, team is null, n
