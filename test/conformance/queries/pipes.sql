-- name: pipe_where
-- reference: select id, name from people where score > 5 order by id
from people |> where score > 5 |> select id, name |> order by id
-- name: pipe_select_expressions
-- reference: select id * 2 as d, upper(name) as u from people order by d
from people |> select id * 2 as d, upper(name) as u |> order by d
-- name: pipe_extend
-- reference: select *, id * 10 as ten, length(name) as l from teams join people using (team) order by id
from teams |> join people using (team) |> extend id * 10 as ten, length(name) as l |> order by id
-- name: pipe_set
-- reference: select * replace (upper(city) as city, size + 1 as size) from teams order by city
from teams |> set city = upper(city), size = size + 1 |> order by city
-- name: pipe_drop
-- reference: select id, name, team from people order by id
from people |> drop boss, score, joined |> order by id
-- name: pipe_rename
-- reference: select team as t, city as c, size from teams order by c
from teams |> rename team as t, city as c |> order by c
-- name: pipe_as
-- reference: select q.team, q.size from teams q order by q.size
from teams |> as q |> select q.team, q.size |> order by size
-- name: pipe_aggregate
-- reference: select count(*) as n, sum(score) as s from people
from people |> aggregate count(*) as n, sum(score) as s
-- name: pipe_aggregate_group_by
-- reference: select team, count(*) as n, max(id) as m from people group by team order by team
from people |> aggregate count(*) as n, max(id) as m group by team |> order by team
-- name: pipe_aggregate_group_by_expression
-- reference: select mod(id, 2) as odd, count(*) as n from people group by odd order by odd
from people |> aggregate count(*) as n group by mod(id, 2) as odd |> order by odd
-- name: pipe_group_and_order_by
-- reference: select team, count(*) as n from people group by team order by team
from people |> aggregate count(*) as n group and order by team
-- name: pipe_where_after_aggregate
-- reference: select team, count(*) as n from people group by team having count(*) > 1 order by n desc, team
from people |> aggregate count(*) as n group by team |> where n > 1 |> order by n desc, team
-- name: pipe_limit_and_offset
-- reference: select id from people order by id limit 2 offset 1
from people |> select id |> order by id |> limit 2 offset 1
-- name: pipe_order_then_where
-- reference: select id from people where id > 2 order by id desc
from people |> where id > 2 |> select id |> order by id desc
-- name: pipe_join
-- reference: select p.name, t.city from people p left join teams t on t.team = p.team order by p.id
from people as p |> left join teams as t on t.team = p.team |> order by p.id |> select p.name, t.city
-- name: pipe_union_all
-- reference: select id from people where id < 3 union all select size from teams order by 1
from people |> where id < 3 |> select id |> union all (select size from teams) |> order by id
-- name: pipe_except
-- reference: select team from people except distinct select team from teams
from people |> select team |> except distinct (select team from teams)
-- name: pipe_intersect
-- reference: select team from people intersect distinct select team from teams
from people |> select team |> intersect distinct (from teams |> select team)
-- name: pipe_distinct
-- reference: select distinct team from people order by team
from people |> select team |> distinct |> order by team
-- name: pipe_after_select
-- reference: select id, n from (select id, id + 1 as n from people) where n > 4 order by id
select id, id + 1 as n from people |> where n > 4 |> order by id
-- name: pipe_in_subquery
-- reference: select id from people where id in (select boss from people where boss is not null) order by id
select id from people where id in (from people |> where boss is not null |> select boss) order by id
-- name: pipe_in_with
-- reference: with r as (select team, count(*) as n from people group by team) select * from r where n > 1 order by team
with r as (from people |> aggregate count(*) as n group by team) from r |> where n > 1 |> order by team
-- name: pipe_window
-- reference: select id, name, row_number() over (partition by team order by id) as n from people order by id
from people |> extend row_number() over (partition by team order by id) as n |> select id, name, n |> order by id
-- name: pipe_from_alone
-- reference: select * from teams
from teams
-- name: pipe_unnest
-- reference: select m.project, r.method from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r where r.method <> 'GET' order by r.method
from edge_logs as t |> cross join unnest(t.metadata) as m |> cross join unnest(m.request) as r |> where r.method <> 'GET' |> select m.project, r.method |> order by method
-- name: pipe_aggregate_twice
-- reference: select n, count(*) as teams from (select team, count(*) as n from people group by team) group by n order by n
from people |> aggregate count(*) as n group by team |> aggregate count(*) as teams group by n |> order by n
-- name: pipe_select_distinct_and_star
-- reference: select distinct boss, boss is null as top from people order by boss
from people |> select distinct boss, boss is null as top |> order by boss
-- name: pipe_select_star_except
-- reference: select * except (size) from teams order by city
from teams |> select * except (size) |> order by city
-- name: trailing_comma_of_set_operations
-- by hand: the evaluator has no such comma
-- rows: [[1], [2], [3]]
select 1 as a |> union all (select 2), (select 3), |> order by a
-- name: trailing_comma_at_the_end
-- by hand: the evaluator has no such comma
-- rows: [[1], [2]]
(select 1 as a |> union all (select 2),) order by a
