n as (
  select 1 as id, 'a' as g, 10 as x, 1.5 as f union all
  select 2, 'a', 20, null union all
  select 3, 'b', null, 2.5 union all
  select 4, null, 40, -1.0 union all
  select 5, 'c', 10, 0.5
),
m as (
  select 1 as id, 'one' as y union all
  select 2, 'two' union all
  select 2, 'deux' union all
  select 7, null union all
  select null, 'none'
),
e as (select 1 as id, 'q' as z from (select 1) where false),
arr as (
  select 1 as id, [1, 2, 3] as xs union all
  select 2, [] union all
  select 3, null union all
  select 4, [5, null]
)
