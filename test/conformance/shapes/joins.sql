select id, y from n join m using (id)
-- columns: ["id","y"]
-- row: [1,"one"]
-- row: [2,"two"]
-- row: [2,"deux"]

select id, y from n left join m using (id)
-- columns: ["id","y"]
-- row: [1,"one"]
-- row: [2,"two"]
-- row: [2,"deux"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select id, y from n right join m using (id)
-- columns: ["id","y"]
-- row: [1,"one"]
-- row: [2,"two"]
-- row: [2,"deux"]
-- row: [7,null]
-- row: [null,"none"]

select id, y from n full join m using (id)
-- columns: ["id","y"]
-- row: [1,"one"]
-- row: [2,"two"]
-- row: [2,"deux"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]
-- row: [7,null]
-- row: [null,"none"]

select * from n full join m using (id)
-- columns: ["id","g","x","f","y"]
-- row: [1,"a",10,1.5,"one"]
-- row: [2,"a",20,null,"two"]
-- row: [2,"a",20,null,"deux"]
-- row: [3,"b",null,2.5,null]
-- row: [4,null,40,-1,null]
-- row: [5,"c",10,0.5,null]
-- row: [7,null,null,null,null]
-- row: [null,null,null,null,"none"]

select n.id, m.id from n full join m on n.id = m.id
-- columns: ["id","id"]
-- row: [1,1]
-- row: [2,2]
-- row: [2,2]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]
-- row: [null,7]
-- row: [null,null]

select * from n join m using (id) join arr using (id)
-- columns: ["id","g","x","f","y","xs"]
-- row: [1,"a",10,1.5,"one",[1,2,3]]
-- row: [2,"a",20,null,"two",[]]
-- row: [2,"a",20,null,"deux",[]]

select * from n join m using (id) join (select 'a' as g, 5 as k) using (g)
-- columns: ["g","id","x","f","y","k"]
-- row: ["a",1,10,1.5,"one",5]
-- row: ["a",2,20,null,"two",5]
-- row: ["a",2,20,null,"deux",5]

select * from n, m where n.id = m.id
-- columns: ["id","g","x","f","id","y"]
-- row: [1,"a",10,1.5,1,"one"]
-- row: [2,"a",20,null,2,"two"]
-- row: [2,"a",20,null,2,"deux"]

select n.*, m.y from n cross join m where n.id = m.id
-- columns: ["id","g","x","f","y"]
-- row: [1,"a",10,1.5,"one"]
-- row: [2,"a",20,null,"two"]
-- row: [2,"a",20,null,"deux"]

select * from n a, n b where a.id = b.id and a.id < 3
-- columns: ["id","g","x","f","id","g","x","f"]
-- row: [1,"a",10,1.5,1,"a",10,1.5]
-- row: [2,"a",20,null,2,"a",20,null]

select a.*, b.* from n a join n b using (id) where id = 1
-- columns: ["id","g","x","f","id","g","x","f"]
-- row: [1,"a",10,1.5,1,"a",10,1.5]

select * except (x) from n join m using (id)
-- columns: ["id","g","f","y"]
-- row: [1,"a",1.5,"one"]
-- row: [2,"a",null,"two"]
-- row: [2,"a",null,"deux"]

select n.* from n left join m using (id) where m.y is null
-- columns: ["id","g","x","f"]
-- row: [3,"b",null,2.5]
-- row: [4,null,40,-1]
-- row: [5,"c",10,0.5]

select n.id, m from n left join m using (id)
-- columns: ["id","m"]
-- row: [1,[1,"one"]]
-- row: [2,[2,"two"]]
-- row: [2,[2,"deux"]]
-- row: [3,[null,null]]
-- row: [4,[null,null]]
-- row: [5,[null,null]]

select m is null, m.id from n left join m using (id) where n.id in (2, 3)
-- columns: ["","id"]
-- row: [false,2]
-- row: [false,2]
-- row: [false,null]

select to_json_string(m) from n left join m using (id) where n.id in (1, 3)
-- columns: [""]
-- row: ["{\"id\":1,\"y\":\"one\"}"]
-- row: ["{\"id\":null,\"y\":null}"]

select n.id from (n join m on n.id = m.id)
-- columns: ["id"]
-- row: [1]
-- row: [2]
-- row: [2]

select n.id, m.y, arr.id from n join (m join arr on m.id = arr.id) on n.id = m.id
-- columns: ["id","y","id"]
-- row: [1,"one",1]
-- row: [2,"two",2]
-- row: [2,"deux",2]

select n.id, m.y, arr.id from n left join (m join arr on m.id = arr.id) on n.id = m.id
-- columns: ["id","y","id"]
-- row: [1,"one",1]
-- row: [2,"two",2]
-- row: [2,"deux",2]
-- row: [3,null,null]
-- row: [4,null,null]
-- row: [5,null,null]

select n.id, m.y, arr.id from n join m join arr on m.id = arr.id on n.id = m.id
-- columns: ["id","y","id"]
-- row: [1,"one",1]
-- row: [2,"two",2]
-- row: [2,"deux",2]

select n.id, m.id from n left join m on true where n.id = 1
-- columns: ["id","id"]
-- row: [1,1]
-- row: [1,2]
-- row: [1,2]
-- row: [1,7]
-- row: [1,null]

select n.id, m.id from n left join m on false
-- columns: ["id","id"]
-- row: [1,null]
-- row: [2,null]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select n.id, m.id from n full join m on false
-- columns: ["id","id"]
-- row: [1,null]
-- row: [2,null]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]
-- row: [null,1]
-- row: [null,2]
-- row: [null,2]
-- row: [null,7]
-- row: [null,null]

select n.id, m.id from n left join m on n.id = m.id where m.id is null
-- columns: ["id","id"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select n.id, m.y from n left join m on n.id = m.id and m.y = 'two'
-- columns: ["id","y"]
-- row: [1,null]
-- row: [2,"two"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select n.id, m.y from n left join m on n.id = m.id and n.x = 20
-- columns: ["id","y"]
-- row: [1,null]
-- row: [2,"two"]
-- row: [2,"deux"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select n.id, m.y from n right join m on n.id = m.id and n.x = 20
-- columns: ["id","y"]
-- row: [2,"two"]
-- row: [2,"deux"]
-- row: [null,"one"]
-- row: [null,null]
-- row: [null,"none"]

select n.id, m.y from n full join m on n.id = m.id and n.x = 20
-- columns: ["id","y"]
-- row: [1,null]
-- row: [2,"two"]
-- row: [2,"deux"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]
-- row: [null,"one"]
-- row: [null,null]
-- row: [null,"none"]

select a.id, b.id from n a left join (select id, 'k' as k from m where id is not null) b on a.id = b.id and b.k = 'k'
-- columns: ["id","id"]
-- row: [1,1]
-- row: [2,2]
-- row: [2,2]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select a.id, b.k from n a left join (select id, 'k' as k from m where id is not null) b using (id)
-- columns: ["id","k"]
-- row: [1,"k"]
-- row: [2,"k"]
-- row: [2,"k"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]

select id, k from n full join (select id, 'k' as k from m) using (id)
-- columns: ["id","k"]
-- row: [1,"k"]
-- row: [2,"k"]
-- row: [2,"k"]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]
-- row: [7,"k"]
-- row: [null,"k"]

select id from n full join m using (id) where id > 4
-- columns: ["id"]
-- row: [5]
-- row: [7]

select id + 1 as j from n right join m using (id) order by j
-- columns: ["j"]
-- row: [null]
-- row: [2]
-- row: [3]
-- row: [3]
-- row: [8]

select n.id, m.id, id from n right join m using (id)
-- columns: ["id","id","id"]
-- row: [1,1,1]
-- row: [2,2,2]
-- row: [2,2,2]
-- row: [null,7,7]
-- row: [null,null,null]

select * from n left join m using (id) left join arr using (id)
-- columns: ["id","g","x","f","y","xs"]
-- row: [1,"a",10,1.5,"one",[1,2,3]]
-- row: [2,"a",20,null,"two",[]]
-- row: [2,"a",20,null,"deux",[]]
-- row: [3,"b",null,2.5,null,null]
-- row: [4,null,40,-1,null,[5,null]]
-- row: [5,"c",10,0.5,null,null]

select id, g, y from n join (select id, 'a' as g, y from m) using (id, g)
-- columns: ["id","g","y"]
-- row: [1,"a","one"]
-- row: [2,"a","two"]
-- row: [2,"a","deux"]

select id from n join m using (id, id)
-- columns: ["id"]
-- row: [1]
-- row: [2]
-- row: [2]

select a.id from n a join n b using (id) join n c using (id) where a.g = 'a'
-- columns: ["id"]
-- row: [1]
-- row: [2]

select n.id from n, m, arr where n.id = m.id and m.id = arr.id
-- columns: ["id"]
-- row: [1]
-- row: [2]
-- row: [2]

select n.id from n inner join m on n.id = m.id left outer join arr on arr.id = m.id
-- columns: ["id"]
-- row: [1]
-- row: [2]
-- row: [2]
