-- name: inner_join
select p.id, t.city from people p inner join teams t on p.team = t.team order by p.id
-- name: left_join
select p.id, t.city from people p left join teams t on p.team = t.team order by p.id
-- name: left_outer_join_condition_on_right
select p.id, t.city from people p left outer join teams t on p.team = t.team and t.size > 2 order by p.id
-- name: left_join_filter_in_where
select p.id, t.city from people p left join teams t on p.team = t.team where t.size is null or t.size > 2 order by p.id
-- name: right_join
select p.id, t.city from people p right join teams t on p.team = t.team order by t.city, p.id
-- name: full_join
select p.id, t.city from people p full join teams t on p.team = t.team order by p.id, t.city
-- name: full_outer_join_using
select team, p.id, t.city from people p full outer join teams t using (team) order by p.id, t.city
-- name: cross_join
select p.id, t.city from people p cross join teams t where p.id < 3 order by 1, 2
-- name: comma_join
select p.id, t.city from people p, teams t where p.team = t.team order by 1
-- name: comma_join_of_three
select p.id, t.size, v.path from people p, teams t, visits v where p.team = t.team and v.person = p.id order by 1, v.ts
-- name: join_using
select team, name, city from people join teams using (team) order by id
-- name: left_join_using
select team, name, city from people left join teams using (team) order by id
-- name: right_join_using
select team, name, city from people right join teams using (team) order by city, id
-- name: join_using_star
select * from (select team, name from people) join (select team, city from teams) using (team) order by name
-- name: join_using_two_columns
select id, team, a.name from people a join (select id, team from people where score > 5) using (id, team) order by id
-- name: self_join
select a.name, b.name as boss from people a join people b on a.boss = b.id order by a.id
-- name: self_join_left_chain
select a.name, b.name as boss, c.name as bossboss from people a left join people b on a.boss = b.id left join people c on b.boss = c.id order by a.id
-- name: join_on_inequality
select a.id as x, b.id as y from people a join people b on a.score < b.score and a.id > b.id order by 1, 2
-- name: join_on_expression
select p.id, v.path from people p join visits v on v.person = p.id and extract(hour from v.ts) = 10 order by p.id, v.ts
-- name: join_on_constant
select p.id, t.city from people p join teams t on true where p.id = 1 order by t.city
-- name: left_join_on_false
select p.id, t.city from people p left join teams t on false order by p.id
-- name: join_of_nulls_never_matches
select count(*) as n from people p join teams t on p.team = t.team where p.team is null
-- name: join_of_nulls_with_is_not_distinct
select p.id, t.city from people p join teams t on p.team is not distinct from t.team order by p.id
-- name: join_of_subqueries
select a.team, a.n, b.s from (select team, count(*) as n from people group by team) a join (select team, size as s from teams) b on a.team = b.team order by 1
-- name: parenthesised_joins
select p.id, t.city, v.path from (people p join teams t on p.team = t.team) left join visits v on v.person = p.id order by 1, v.ts
-- name: parenthesised_right_side
select p.id, v.path, t.size from people p left join (visits v join (select 3 as size) t on v.ms > t.size) on v.person = p.id order by 1, v.ts
-- name: join_then_unnest
select p.id, w from people p join teams t using (team), unnest([t.size, p.id]) as w order by p.id, w
-- name: full_join_of_everything
select coalesce(p.id, v.person) as id, count(v.path) as n, count(*) as m from people p full join visits v on v.person = p.id group by 1 order by 1
-- name: full_join_using_coalesces
select id, p.a, q.b from (select 1 as id, 'x' as a union all select 2, 'y') p full join (select 2 as id, 'z' as b union all select 3, 'w') q using (id) order by id
-- name: semi_join_by_in
select id from people where id in (select person from visits) order by id
-- name: anti_join_by_left_join
select p.id from people p left join visits v on v.person = p.id where v.person is null order by 1
-- name: join_aggregated
select t.city, count(p.id) as n, sum(p.score) as s from teams t left join people p on p.team = t.team group by t.city order by t.city
-- name: many_joins
select a.id, b.name, c.city, d.n from people a join people b on b.id = a.id join teams c on c.team = a.team left join (select person, count(*) as n from visits group by person) d on d.person = a.id order by a.id
-- name: join_on_between_times
select v.path, w.path as later from visits v join visits w on w.person = v.person and w.ts > v.ts and w.ts <= timestamp_add(v.ts, interval 1 hour) order by 1, 2
-- name: whole_row_of_joined_table
select t, p.id from people p join (select team, size from teams) t on t.team = p.team where p.id = 1
-- name: lateral_unnest_of_left_row
select p.id, c from people p cross join unnest(split(lower(p.name), '')) as c where p.id < 4 order by p.id, c
-- name: left_join_unnest_of_array_agg
select t, x from (select team as t, array_agg(score ignore nulls) as s from people group by team) left join unnest(s) as x order by t, x
