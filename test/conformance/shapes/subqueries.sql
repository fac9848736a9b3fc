select (select count(*) from m where m.id = n.id) as c, n.id from n
-- columns: ["c","id"]
-- row: [1,1]
-- row: [2,2]
-- row: [0,3]
-- row: [0,4]
-- row: [0,5]

select id from n where (select count(*) from m where m.id = n.id) > 1
-- columns: ["id"]
-- row: [2]

select g, count(*) from n group by g having count(*) > (select count(*) from e)
-- columns: ["g",""]
-- row: [null,1]
-- row: ["a",2]
-- row: ["b",1]
-- row: ["c",1]

select id from n order by (select max(y) from m where m.id = n.id), id
-- columns: ["id"]
-- row: [3]
-- row: [4]
-- row: [5]
-- row: [1]
-- row: [2]

select n.id, m.y from n left join m on n.id = m.id and (select max(xs[safe_offset(0)]) from arr where arr.id = n.id) = 1
-- columns: ["id","y"]
-- row: [1,"one"]
-- row: [2,null]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select n.id, m.y from n left join m on n.id = (select min(id) from arr where arr.id >= m.id)
-- columns: ["id","y"]
-- row: [1,"one"]
-- row: [2,"two"]
-- row: [2,"deux"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select sum((select count(*) from m where m.id = n.id)) from n
-- columns: [""]
-- row: [3]

select g, sum((select count(*) from m where m.id = n.id)) from n group by g
-- columns: ["g",""]
-- row: [null,0]
-- row: ["a",3]
-- row: ["b",0]
-- row: ["c",0]

select id, array(select y from m where m.id = n.id order by y) from n
-- columns: ["id",""]
-- row: [1,["one"]]
-- row: [2,["deux","two"]]
-- row: [3,[]]
-- row: [4,[]]
-- row: [5,[]]

select id, array(select as struct y, n.id as k from m where m.id = n.id order by y) from n
-- columns: ["id",""]
-- row: [1,[["one",1]]]
-- row: [2,[["deux",2],["two",2]]]
-- row: [3,[]]
-- row: [4,[]]
-- row: [5,[]]

select id from n where id in (select id from m)
-- columns: ["id"]
-- row: [1]
-- row: [2]

select id from n where id not in (select id from m)
-- columns: ["id"]

select id from n where id not in (select id from m where id is not null)
-- columns: ["id"]
-- row: [3]
-- row: [4]
-- row: [5]

select x in (select x from n), id from n
-- columns: ["","id"]
-- row: [true,1]
-- row: [true,2]
-- row: [null,3]
-- row: [true,4]
-- row: [true,5]

select null in (select id from m), null in (select id from e), 1 in (select id from e), 1 not in (select id from e)
-- columns: ["","","",""]
-- row: [null,false,false,true]

select id from n where g in (select g from n where id = 4)
-- columns: ["id"]

select id from arr where exists (select 1 from unnest(xs) as v where v > 2)
-- columns: ["id"]
-- row: [1]
-- row: [4]

select id from arr a where exists (select 1 from unnest(a.xs) as v where v = a.id)
-- columns: ["id"]
-- row: [1]

select id, (select sum(v) from unnest(xs) as v) as s from arr
-- columns: ["id","s"]
-- row: [1,6]
-- row: [2,null]
-- row: [3,null]
-- row: [4,5]

select id, (select count(*) from arr.xs) as s from arr
-- columns: ["id","s"]
-- row: [1,3]
-- row: [2,0]
-- row: [3,0]
-- row: [4,2]

with n as (select 100 as id) select id from n
-- columns: ["id"]
-- row: [100]

with n as (select 100 as id), q as (with n as (select 200 as id) select id from n) select n.id, q.id from n, q
-- columns: ["id","id"]
-- row: [100,200]

with q as (select id from n), n as (select 9 as id) select q.id, n.id from q, n
-- columns: ["id","id"]
-- row: [1,9]
-- row: [2,9]
-- row: [3,9]
-- row: [4,9]
-- row: [5,9]

select id, (select n.x + max(m.id) from m) from n
-- columns: ["id",""]
-- row: [1,17]
-- row: [2,27]
-- row: [3,null]
-- row: [4,47]
-- row: [5,17]

select g, (select g) from n group by g
-- columns: ["g",""]
-- row: [null,null]
-- row: ["a","a"]
-- row: ["b","b"]
-- row: ["c","c"]

select g, (select max(m.y) from m where m.y > n.g) from n group by g
-- columns: ["g",""]
-- row: [null,null]
-- row: ["a","two"]
-- row: ["b","two"]
-- row: ["c","two"]

select a.id from n a where (select count(*) from n b where b.g = a.g and (select count(*) from m where m.id = a.id and m.id = b.id) > 0) > 0
-- columns: ["id"]
-- row: [1]
-- row: [2]

select id from n where exists (select 1 from m where m.id = n.id limit 1)
-- columns: ["id"]
-- row: [1]
-- row: [2]

select id from n where exists (select count(*) from m where m.id = n.id)
-- columns: ["id"]
-- row: [1]
-- row: [2]
-- row: [3]
-- row: [4]
-- row: [5]

select id from n where not exists (select 1 from m where m.id = n.id)
-- columns: ["id"]
-- row: [3]
-- row: [4]
-- row: [5]

select id, (select y from m where m.id = n.id order by y limit 1) from n
-- columns: ["id",""]
-- row: [1,"one"]
-- row: [2,"deux"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select id, (select as struct y, 1 as one from m where m.id = n.id order by y limit 1) from n
-- columns: ["id",""]
-- row: [1,["one",1]]
-- row: [2,["deux",1]]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select id, array(select x from n n2 where n2.id < n.id order by x desc) from n
-- columns: ["id",""]
-- row: [1,[]]
-- row: [2,[10]]
-- row: [3,[20,10]]
-- row: [4,[20,10,null]]
-- row: [5,[40,20,10,null]]

select array(select id from n order by id desc limit 2)
-- columns: [""]
-- row: [[5,4]]

select array(select x from n order by id)
-- columns: [""]
-- row: [[10,20,null,40,10]]

select array(select distinct g from n order by g)
-- columns: [""]
-- row: [[null,"a","b","c"]]

select (select m), id from m where id = 1
-- columns: ["","id"]
-- row: [[1,"one"],1]

select id from n where (id, g) in (select (1, 'a'))
-- columns: ["id"]
-- row: [1]

select id from n where struct(id, g) in (select as struct id, g from n where x = 10)
-- columns: ["id"]
-- row: [1]
-- row: [5]

select if((select max(id) from n) > 3, 'big', 'small')
-- columns: [""]
-- row: ["big"]

select case when exists (select 1 from e) then 1 else 2 end
-- columns: [""]
-- row: [2]

select coalesce((select z from e), 'none')
-- columns: [""]
-- row: ["none"]

select (select count(*) from e), (select sum(id) from e), (select id from e)
-- columns: ["","",""]
-- row: [0,null,null]

select array(select id from e)
-- columns: [""]
-- row: [[]]

select id in unnest(array(select id from m where id is not null)) from n
-- columns: [""]
-- row: [true]
-- row: [true]
-- row: [false]
-- row: [false]
-- row: [false]

select id, (select y from m where m.id = n.id) from n where id != 2
-- columns: ["id",""]
-- row: [1,"one"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select id from n where id = (select id from m where y = 'one')
-- columns: ["id"]
-- row: [1]

select id from n where (select y from m where m.id = n.id limit 1) = 'one'
-- columns: ["id"]
-- row: [1]

select (select as struct id, g from n where id = 3)
-- columns: [""]
-- row: [[3,"b"]]

select (select xs from arr where id = 1)
-- columns: [""]
-- row: [[1,2,3]]

select (select z from e), (select f from n where id = 2)
-- columns: ["",""]
-- row: [null,null]

select sum((select id from m where m.y = 'one')) from n
-- columns: [""]
-- row: [5]

select g, max((select y from m where m.id = n.id and y != 'deux')) from n group by g
-- columns: ["g",""]
-- row: [null,null]
-- row: ["a","two"]
-- row: ["b",null]
-- row: ["c",null]

select if(true, 1, (select id from n))
-- columns: [""]
-- row: [1]

select id, (select max(v) from unnest(xs) v), (select v from unnest(xs) v where v = 1) from arr
-- columns: ["id","",""]
-- row: [1,3,1]
-- row: [2,null,null]
-- row: [3,null,null]
-- row: [4,5,null]

select id, (select v from unnest(xs) v) from arr where id in (2, 3)
-- columns: ["id",""]
-- row: [2,null]
-- row: [3,null]

select n.id from n join m on n.id = (select m2.id from m m2 where m2.y = m.y)
-- columns: ["id"]
-- row: [1]
-- row: [2]
-- row: [2]

select a.id, (select (select b.y from m b where b.id = a.id and b.y = c.y) from m c where c.id = a.id and c.y != 'deux') from n a
-- columns: ["id",""]
-- row: [1,"one"]
-- row: [2,"two"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select id from n order by (select y from m where m.id = n.id and y != 'deux'), id
-- columns: ["id"]
-- row: [3]
-- row: [4]
-- row: [5]
-- row: [1]
-- row: [2]

select g, count(*) from n group by g having count(*) = (select id from m where y = 'two')
-- columns: ["g",""]
-- row: ["a",2]

select a.id, (select array_agg(v order by v desc) from unnest(a.xs) v) from arr a
-- columns: ["id",""]
-- row: [1,[3,2,1]]
-- row: [2,null]
-- row: [3,null]
-- row: [4,[5,null]]

select array(select as value x from n where x is not null order by x)
-- columns: [""]
-- row: [[10,10,20,40]]

with a as (select 1 as v), b as (select v + 1 as v from a), c as (select a.v as x, b.v as y from a, b) select * from c
-- columns: ["x","y"]
-- row: [1,2]

with a as (select id from n) select (select count(*) from a) as c, (select max(id) from a) as d
-- columns: ["c","d"]
-- row: [5,5]

with a as (select 1 as v) select * from a, (with a as (select 2 as v) select * from a) b
-- columns: ["v","v"]
-- row: [1,2]

with a as (select 1 as v) select (with a as (select v + 1 as w from a) select w from a)
-- columns: [""]
-- row: [2]

with A as (select 1 as v) select v from a
-- columns: ["v"]
-- row: [1]

with a as (select rand() as r from n) select count(distinct a1.r = a2.r) from a a1, a a2 where a1.r = a2.r
-- columns: [""]
-- row: [1]

with v as (select as value struct(1 as a, 2 as b)) select a, v.b, v from v
-- columns: ["a","b","v"]
-- row: [1,2,[1,2]]

with v as (select as value struct(1 as a, 2 as b)) select * from v
-- columns: ["a","b"]
-- row: [1,2]

with v as (select as struct 1 as a) select v.* from v
-- columns: ["a"]
-- row: [1]

select (select as value 5)
-- columns: [""]
-- row: [5]

select array(select as value struct(1 as a))
-- columns: [""]
-- row: [[[1]]]

select exists(select as value 5)
-- columns: [""]
-- row: [true]

select id from n order by id + (select 0)
-- columns: ["id"]
-- row: [1]
-- row: [2]
-- row: [3]
-- row: [4]
-- row: [5]

select g from n group by g order by (select max(y) from m where m.y > n.g)
-- columns: ["g"]
-- row: [null]
-- row: ["a"]
-- row: ["b"]
-- row: ["c"]

select id from n where x = (select max(x) from n)
-- columns: ["id"]
-- row: [4]
