select * from (select id from n limit 2 offset 1) order by id
-- columns: ["id"]
-- row: [2]
-- row: [3]

select * from n order by x, id
-- columns: ["id","g","x","f"]
-- row: [3,"b",null,2.5]
-- row: [1,"a",10,1.5]
-- row: [5,"c",10,0.5]
-- row: [2,"a",20,null]
-- row: [4,null,40,-1]

select * except (f), f as h from n order by f desc, id
-- columns: ["id","g","x","h"]
-- row: [3,"b",null,2.5]
-- row: [1,"a",10,1.5]
-- row: [5,"c",10,0.5]
-- row: [4,null,40,-1]
-- row: [2,"a",20,null]

select * replace (x * 2 as x) from n
-- columns: ["id","g","x","f"]
-- row: [1,"a",20,1.5]
-- row: [2,"a",40,null]
-- row: [3,"b",null,2.5]
-- row: [4,null,80,-1]
-- row: [5,"c",20,0.5]

select n.* except (id) replace (upper(g) as g), n.id from n
-- columns: ["g","x","f","id"]
-- row: ["A",10,1.5,1]
-- row: ["A",20,null,2]
-- row: ["B",null,2.5,3]
-- row: [null,40,-1,4]
-- row: ["C",10,0.5,5]

select id as x, x as id from n order by x
-- columns: ["x","id"]
-- row: [1,10]
-- row: [2,20]
-- row: [3,null]
-- row: [4,40]
-- row: [5,10]

select id as x from n order by n.x, id
-- columns: ["x"]
-- row: [3]
-- row: [1]
-- row: [5]
-- row: [2]
-- row: [4]

select -id as id from n order by id
-- columns: ["id"]
-- row: [-5]
-- row: [-4]
-- row: [-3]
-- row: [-2]
-- row: [-1]

select -id as id from n order by abs(id)
-- columns: ["id"]
-- row: [-1]
-- row: [-2]
-- row: [-3]
-- row: [-4]
-- row: [-5]

select -id as id from n where id > 3
-- columns: ["id"]
-- row: [-4]
-- row: [-5]

select distinct g from n order by g
-- columns: ["g"]
-- row: [null]
-- row: ["a"]
-- row: ["b"]
-- row: ["c"]

select distinct g, x from n order by x, g
-- columns: ["g","x"]
-- row: ["b",null]
-- row: ["a",10]
-- row: ["c",10]
-- row: ["a",20]
-- row: [null,40]

select distinct upper(g) as u from n order by u desc
-- columns: ["u"]
-- row: ["C"]
-- row: ["B"]
-- row: ["A"]
-- row: [null]

select distinct g as a from n order by upper(g)
-- columns: ["a"]
-- row: [null]
-- row: ["a"]
-- row: ["b"]
-- row: ["c"]

select distinct g from n order by upper(g)
-- columns: ["g"]
-- row: [null]
-- row: ["a"]
-- row: ["b"]
-- row: ["c"]

select id from n order by 1 desc limit 2
-- columns: ["id"]
-- row: [5]
-- row: [4]

select id from n order by x nulls last, id
-- columns: ["id"]
-- row: [1]
-- row: [5]
-- row: [2]
-- row: [4]
-- row: [3]

select id from n order by x desc nulls first, id desc
-- columns: ["id"]
-- row: [3]
-- row: [4]
-- row: [2]
-- row: [5]
-- row: [1]

select id from n order by id limit 0
-- columns: ["id"]

select id from n order by id limit 2 offset 10
-- columns: ["id"]

select g as x, x as y from n order by x, y
-- columns: ["x","y"]
-- row: [null,40]
-- row: ["a",10]
-- row: ["a",20]
-- row: ["b",null]
-- row: ["c",10]

select n from n where id = 1
-- columns: ["n"]
-- row: [[1,"a",10,1.5]]

select id from n where (id, g) in ((1, 'a'), (3, 'x'))
-- columns: ["id"]
-- row: [1]

select t.* from (select id, x from n) as t where t.x > 10
-- columns: ["id","x"]
-- row: [2,20]
-- row: [4,40]

select t.id from (select id from n) t, (select id from m) u where t.id = u.id
-- columns: ["id"]
-- row: [1]
-- row: [2]
-- row: [2]

select * from (select * from (select id from n where id > 3))
-- columns: ["id"]
-- row: [4]
-- row: [5]

select * from (select 1 as a, 2 as a)
-- columns: ["a","a"]
-- row: [1,2]

select t.a from (select 1 as a, 2 as b) t
-- columns: ["a"]
-- row: [1]

select x.id from n as x where X.ID = 1
-- columns: ["id"]
-- row: [1]

select ID, Id from n where iD = 2
-- columns: ["ID","Id"]
-- row: [2,2]

select `id`, n.`g` from n where id = 1
-- columns: ["id","g"]
-- row: [1,"a"]

select id as `select`, g as `group` from n where id = 1
-- columns: ["select","group"]
-- row: [1,"a"]

select id `from n`, 1 `a b` from n where id = 2
-- columns: ["from n","a b"]
-- row: [2,1]

select count(*) as count, max(x) as max, min(count) from (select x, 1 as count from n)
-- columns: ["count","max",""]
-- row: [5,40,1]

select n.id, n.id + 1, id * 2 as d, upper(g), g from n where id = 1
-- columns: ["id","","d","","g"]
-- row: [1,2,2,"A","a"]

select 1, 'a', null, true, 1.5
-- columns: ["","","","",""]
-- row: [1,"a",null,true,1.5]

select 1 as a, 2 as b from n limit 2
-- columns: ["a","b"]
-- row: [1,2]
-- row: [1,2]

select distinct 1 from n
-- columns: [""]
-- row: [1]

select all id from n where id = 1
-- columns: ["id"]
-- row: [1]

select as struct id, g from n where id = 1
-- columns: [""]
-- row: [[1,"a"]]

select as value struct(id as a, g as b) from n where id = 1
-- columns: [""]
-- row: [[1,"a"]]

select as value id from n where id = 1
-- columns: [""]
-- row: [1]

select v.a from (select as value struct(id as a, g as b) from n) v where v.a = 2
-- columns: ["a"]
-- row: [2]

select * from n where x between 10 and 20 and not g = 'a' or g is null
-- columns: ["id","g","x","f"]
-- row: [4,null,40,-1]
-- row: [5,"c",10,0.5]

select id from n order by case when g = 'b' then 0 else 1 end, id
-- columns: ["id"]
-- row: [3]
-- row: [1]
-- row: [2]
-- row: [4]
-- row: [5]

select id from n order by g desc, x nulls last
-- columns: ["id"]
-- row: [5]
-- row: [3]
-- row: [1]
-- row: [2]
-- row: [4]

select id from n order by upper(g) nulls last, id desc limit 2
-- columns: ["id"]
-- row: [2]
-- row: [1]

select id, x from n order by -x, id
-- columns: ["id","x"]
-- row: [3,null]
-- row: [4,40]
-- row: [2,20]
-- row: [1,10]
-- row: [5,10]

select 'x' as c, id from n order by c, id desc
-- columns: ["c","id"]
-- row: ["x",5]
-- row: ["x",4]
-- row: ["x",3]
-- row: ["x",2]
-- row: ["x",1]

select id from n order by 1 + 1, id
-- columns: ["id"]
-- row: [1]
-- row: [2]
-- row: [3]
-- row: [4]
-- row: [5]

select id from n limit 2 offset 4
-- columns: ["id"]
-- row: [5]

select 1 limit 1
-- columns: [""]
-- row: [1]

select x.a from (select as value struct(1 as a)) x
-- columns: ["a"]
-- row: [1]

select a from (select as value struct(1 as a)) x
-- columns: ["a"]
-- row: [1]

select x from (select as value 5) x
-- columns: ["x"]
-- row: [5]

select * from (select as value struct(1 as a, 2 as b))
-- columns: ["a","b"]
-- row: [1,2]

select * from (select as value 5)
-- columns: [""]
-- row: [5]

select * from (select as value 5) x
-- columns: ["x"]
-- row: [5]

select as struct 1 as a, 2 as a
-- columns: [""]
-- row: [[1,2]]

select as struct * from n where id = 1
-- columns: [""]
-- row: [[1,"a",10,1.5]]

select as value n from n where id = 1
-- columns: [""]
-- row: [[1,"a",10,1.5]]

select id, x from n order by x, id desc limit 3
-- columns: ["id","x"]
-- row: [3,null]
-- row: [5,10]
-- row: [1,10]
