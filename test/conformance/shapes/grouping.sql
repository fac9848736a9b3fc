select x + 1 as y, count(*) from n group by y
-- columns: ["y",""]
-- row: [null,1]
-- row: [11,2]
-- row: [21,1]
-- row: [41,1]

select x + 1, count(*) from n group by x + 1
-- columns: ["",""]
-- row: [null,1]
-- row: [11,2]
-- row: [21,1]
-- row: [41,1]

select x + 1, count(*) from n group by x
-- columns: ["",""]
-- row: [null,1]
-- row: [11,2]
-- row: [21,1]
-- row: [41,1]

select g as x, count(*) from n group by x
-- columns: ["x",""]
-- row: [null,1]
-- row: ["a",2]
-- row: ["b",1]
-- row: ["c",1]

select x as g, count(*) from n group by g
-- columns: ["g",""]
-- row: [null,1]
-- row: [10,2]
-- row: [20,1]
-- row: [40,1]

select g as k, count(*) from n group by g having k = 'a'
-- columns: ["k",""]
-- row: ["a",2]

select g, max(x) as x from n group by g having x > 10
-- columns: ["g","x"]
-- row: [null,40]
-- row: ["a",20]

select g, max(x) as x from n group by g having max(n.x) > 10
-- columns: ["g","x"]
-- row: [null,40]
-- row: ["a",20]

select upper(g) as g from n group by g
-- columns: ["g"]
-- row: [null]
-- row: ["A"]
-- row: ["B"]
-- row: ["C"]

select upper(g) as g, count(*) from n group by g order by g
-- columns: ["g",""]
-- row: [null,1]
-- row: ["A",2]
-- row: ["B",1]
-- row: ["C",1]

select sum(x) as x from n order by x
-- columns: ["x"]
-- row: [80]

select sum(x) as s, g from n group by g order by sum(x), g
-- columns: ["s","g"]
-- row: [null,"b"]
-- row: [10,"c"]
-- row: [30,"a"]
-- row: [40,null]

select g, count(*) from n group by 1 order by 2 desc, 1
-- columns: ["g",""]
-- row: ["a",2]
-- row: [null,1]
-- row: ["b",1]
-- row: ["c",1]

select g, count(*) from n group by g order by max(x)
-- columns: ["g",""]
-- row: ["b",1]
-- row: ["c",1]
-- row: ["a",2]
-- row: [null,1]

select count(m), count(n), count(*) from n left join m using (id)
-- columns: ["","",""]
-- row: [6,6,6]

select array_agg(m) from m where id = 1
-- columns: [""]
-- row: [[[1,"one"]]]

select id, count(*) from n full join m using (id) group by id
-- columns: ["id",""]
-- row: [null,1]
-- row: [1,1]
-- row: [2,2]
-- row: [3,1]
-- row: [4,1]
-- row: [5,1]
-- row: [7,1]

select count(*) from n a cross join n b cross join n c
-- columns: [""]
-- row: [125]

select id from n group by 1 having sum(x) > 15 order by 1
-- columns: ["id"]
-- row: [2]
-- row: [4]

select count(*) from n having count(*) > 1
-- columns: [""]
-- row: [5]

select count(*) from n having count(*) > 100
-- columns: [""]

select max(id) from n where false
-- columns: [""]
-- row: [null]

select g, max(id) from n where false group by g
-- columns: ["g",""]

select count(*) from e group by id
-- columns: [""]

select x, count(*) from n group by x order by count(*) desc, x
-- columns: ["x",""]
-- row: [10,2]
-- row: [null,1]
-- row: [20,1]
-- row: [40,1]

select g, array_agg(x ignore nulls order by x desc limit 1) from n group by g
-- columns: ["g",""]
-- row: [null,[40]]
-- row: ["a",[20]]
-- row: ["b",null]
-- row: ["c",[10]]

select g, string_agg(cast(id as string), '' order by id desc) from n group by g
-- columns: ["g",""]
-- row: [null,"4"]
-- row: ["a","21"]
-- row: ["b","3"]
-- row: ["c","5"]

select count(distinct g), count(distinct x), sum(distinct x) from n
-- columns: ["","",""]
-- row: [3,3,70]

select g, x from n group by g, x
-- columns: ["g","x"]
-- row: [null,40]
-- row: ["a",10]
-- row: ["a",20]
-- row: ["b",null]
-- row: ["c",10]

select g, case g when 'a' then 1 else 0 end from n group by g
-- columns: ["g",""]
-- row: [null,0]
-- row: ["a",1]
-- row: ["b",0]
-- row: ["c",0]

select case when g = 'a' then 'A' end as k, count(*) from n group by k
-- columns: ["k",""]
-- row: [null,3]
-- row: ["A",2]

select if(x > 10, 'big', 'small') as size, count(*) c from n group by size having c > 1
-- columns: ["size","c"]
-- row: ["big",2]
-- row: ["small",3]

select extract(year from date '2020-05-05') as y, count(*) from n group by y
-- columns: ["y",""]
-- row: [2020,5]

select mod(id, 2) m2, sum(x) from n group by m2 order by m2
-- columns: ["m2",""]
-- row: [0,60]
-- row: [1,20]

select n.g as k from n group by n.g having k is not null order by k desc
-- columns: ["k"]
-- row: ["c"]
-- row: ["b"]
-- row: ["a"]

select struct(g, x) from n group by g, x
-- columns: [""]
-- row: [[null,40]]
-- row: [["a",10]]
-- row: [["a",20]]
-- row: [["b",null]]
-- row: [["c",10]]

select g, sum(x) / count(*) as a from n group by g order by a desc nulls last, g
-- columns: ["g","a"]
-- row: [null,40]
-- row: ["a",15]
-- row: ["c",10]
-- row: ["b",null]

select g from n group by g order by max(x) desc
-- columns: ["g"]
-- row: [null]
-- row: ["a"]
-- row: ["c"]
-- row: ["b"]

select g, count(*) from n group by g order by g nulls last
-- columns: ["g",""]
-- row: ["a",2]
-- row: ["b",1]
-- row: ["c",1]
-- row: [null,1]
