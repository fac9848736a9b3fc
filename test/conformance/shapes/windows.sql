select id from n qualify row_number() over (order by id) <= (select count(*) from m where m.id = 2)
-- columns: ["id"]
-- row: [1]
-- row: [2]

select id, row_number() over (order by id) from n where x > 5 qualify row_number() over (order by id) = 2
-- columns: ["id",""]
-- row: [2,2]

select id from n qualify count(*) over (partition by g) = 1
-- columns: ["id"]
-- row: [4]
-- row: [3]
-- row: [5]

select id, count(*) over (partition by g) c from n qualify c = 1
-- columns: ["id","c"]
-- row: [4,1]
-- row: [3,1]
-- row: [5,1]

select g, sum(x) s from n group by g qualify rank() over (order by sum(x) desc) = 1
-- columns: ["g","s"]
-- row: [null,40]

select g from n group by g having sum(x) > 10 qualify row_number() over (order by g) = 1
-- columns: ["g"]
-- row: [null]

select id, sum(x) over w as s from n window w as (partition by g order by id)
-- columns: ["id","s"]
-- row: [4,40]
-- row: [1,10]
-- row: [2,30]
-- row: [3,null]
-- row: [5,10]

select id, sum(x) over (w rows between 1 preceding and current row) as s from n window w as (order by id)
-- columns: ["id","s"]
-- row: [1,10]
-- row: [2,30]
-- row: [3,20]
-- row: [4,40]
-- row: [5,50]

select id, sum(x) over (w order by id) as s from n window w as (partition by g)
-- columns: ["id","s"]
-- row: [4,40]
-- row: [1,10]
-- row: [2,30]
-- row: [3,null]
-- row: [5,10]

select id, sum(x) over b as s from n window a as (partition by g), b as (a order by id desc)
-- columns: ["id","s"]
-- row: [4,40]
-- row: [2,20]
-- row: [1,30]
-- row: [3,null]
-- row: [5,10]

select id, sum(x) over b as s from n window a as (partition by g order by id), b as a
-- columns: ["id","s"]
-- row: [4,40]
-- row: [1,10]
-- row: [2,30]
-- row: [3,null]
-- row: [5,10]

select id, sum(x) over w from n window w as (order by id rows 1 preceding)
-- columns: ["id",""]
-- row: [1,10]
-- row: [2,30]
-- row: [3,20]
-- row: [4,40]
-- row: [5,50]

select id, count(*) over (order by id rows between 1 following and 2 following) from n
-- columns: ["id",""]
-- row: [1,2]
-- row: [2,2]
-- row: [3,2]
-- row: [4,1]
-- row: [5,0]

select id, count(*) over (order by id rows between 2 preceding and 1 preceding) from n
-- columns: ["id",""]
-- row: [1,0]
-- row: [2,1]
-- row: [3,2]
-- row: [4,2]
-- row: [5,2]

select id, sum(id) over (order by id rows between unbounded preceding and unbounded following) from n
-- columns: ["id",""]
-- row: [1,15]
-- row: [2,15]
-- row: [3,15]
-- row: [4,15]
-- row: [5,15]

select id, sum(id) over (order by id rows between current row and unbounded following) from n
-- columns: ["id",""]
-- row: [1,15]
-- row: [2,14]
-- row: [3,12]
-- row: [4,9]
-- row: [5,5]

select id, sum(id) over (order by x range between 10 preceding and 10 following) from n
-- columns: ["id",""]
-- row: [3,3]
-- row: [1,8]
-- row: [5,8]
-- row: [2,8]
-- row: [4,4]

select id, sum(id) over (order by x desc range between 10 preceding and current row) from n
-- columns: ["id",""]
-- row: [4,4]
-- row: [2,2]
-- row: [1,8]
-- row: [5,8]
-- row: [3,3]

select id, sum(id) over (order by f range between 0.5 preceding and 1 following) from n
-- columns: ["id",""]
-- row: [2,2]
-- row: [4,4]
-- row: [5,6]
-- row: [1,4]
-- row: [3,3]

select id, sum(id) over (order by x range between unbounded preceding and current row) from n
-- columns: ["id",""]
-- row: [3,3]
-- row: [1,9]
-- row: [5,9]
-- row: [2,11]
-- row: [4,15]

select id, sum(id) over (order by x range between current row and unbounded following) from n
-- columns: ["id",""]
-- row: [3,15]
-- row: [1,12]
-- row: [5,12]
-- row: [2,6]
-- row: [4,4]

select id, sum(id) over (order by g, x) from n
-- columns: ["id",""]
-- row: [4,4]
-- row: [1,5]
-- row: [2,7]
-- row: [3,10]
-- row: [5,15]

select id, sum(id) over (order by x range between 5 following and 10 following) from n
-- columns: ["id",""]
-- row: [3,3]
-- row: [1,2]
-- row: [5,2]
-- row: [2,null]
-- row: [4,null]

select id, sum(id) over (rows between 1 preceding and 1 following) from n
-- columns: ["id",""]
-- row: [1,3]
-- row: [2,6]
-- row: [3,9]
-- row: [4,12]
-- row: [5,9]

select id, first_value(x) over (order by id) a, last_value(x) over (order by id) b, nth_value(x, 2) over (order by id) c from n
-- columns: ["id","a","b","c"]
-- row: [1,10,10,null]
-- row: [2,10,20,20]
-- row: [3,10,null,20]
-- row: [4,10,40,20]
-- row: [5,10,10,20]

select id, first_value(x ignore nulls) over (order by id desc) from n
-- columns: ["id",""]
-- row: [5,10]
-- row: [4,10]
-- row: [3,10]
-- row: [2,10]
-- row: [1,10]

select id, last_value(x ignore nulls) over (order by id rows between unbounded preceding and 1 preceding) from n
-- columns: ["id",""]
-- row: [1,null]
-- row: [2,10]
-- row: [3,20]
-- row: [4,20]
-- row: [5,40]

select id, lag(x) over (order by id), lead(x, 2, -1) over (order by id) from n
-- columns: ["id","",""]
-- row: [1,null,null]
-- row: [2,10,40]
-- row: [3,20,10]
-- row: [4,null,-1]
-- row: [5,40,-1]

select id, lag(x, 0) over (order by id) from n
-- columns: ["id",""]
-- row: [1,10]
-- row: [2,20]
-- row: [3,null]
-- row: [4,40]
-- row: [5,10]

select id, rank() over (order by x), dense_rank() over (order by x), percent_rank() over (order by x), cume_dist() over (order by x), ntile(2) over (order by x, id) from n
-- columns: ["id","","","","",""]
-- row: [3,1,1,0,0.2,1]
-- row: [1,2,2,0.25,0.6,1]
-- row: [5,2,2,0.25,0.6,1]
-- row: [2,4,3,0.75,0.8,2]
-- row: [4,5,4,1,1,2]

select id, row_number() over () > 0 from n
-- columns: ["id",""]
-- row: [1,true]
-- row: [2,true]
-- row: [3,true]
-- row: [4,true]
-- row: [5,true]

select id, count(distinct x) over (partition by g) from n
-- columns: ["id",""]
-- row: [4,1]
-- row: [1,2]
-- row: [2,2]
-- row: [3,0]
-- row: [5,1]

select id, string_agg(g, '-') over (order by id) from n
-- columns: ["id",""]
-- row: [1,"a"]
-- row: [2,"a-a"]
-- row: [3,"a-a-b"]
-- row: [4,"a-a-b"]
-- row: [5,"a-a-b-c"]

select id, array_agg(x) over (order by id rows 1 preceding) from n
-- columns: ["id",""]
-- row: [1,[10]]
-- row: [2,[10,20]]
-- row: [3,[20,null]]
-- row: [4,[null,40]]
-- row: [5,[40,10]]

select id, avg(x) over (partition by g), min(x) over (), max(f) over (order by id) from n
-- columns: ["id","","",""]
-- row: [1,15,10,1.5]
-- row: [2,15,10,1.5]
-- row: [3,null,10,2.5]
-- row: [4,40,10,2.5]
-- row: [5,10,10,2.5]

select id, any_value(g) over (partition by g), countif(x > 10) over (order by id), logical_or(x > 10) over (order by id) from n
-- columns: ["id","","",""]
-- row: [1,"a",0,false]
-- row: [2,"a",1,true]
-- row: [3,"b",1,true]
-- row: [4,null,2,true]
-- row: [5,"c",2,true]

select id, percentile_cont(x, 0.5) over (partition by g), percentile_disc(x, 0.5) over () from n
-- columns: ["id","",""]
-- row: [4,40,10]
-- row: [1,15,10]
-- row: [2,15,10]
-- row: [3,null,10]
-- row: [5,10,10]

select g, sum(x), sum(sum(x)) over (order by g) from n group by g
-- columns: ["g","",""]
-- row: [null,40,40]
-- row: ["a",30,70]
-- row: ["b",null,70]
-- row: ["c",10,80]

select g, row_number() over (order by count(*) desc, g) from n group by g
-- columns: ["g",""]
-- row: ["a",1]
-- row: [null,2]
-- row: ["b",3]
-- row: ["c",4]

select sum(x) over (order by (select max(id) from m where m.id = n.id)) from n
-- columns: [""]
-- row: [50]
-- row: [50]
-- row: [50]
-- row: [60]
-- row: [80]

select first_value(id) over (order by id rows between 1 preceding and current row) from n
-- columns: [""]
-- row: [1]
-- row: [1]
-- row: [2]
-- row: [3]
-- row: [4]

select sum(id) over (order by id range 1 preceding), sum(id) over (order by id range current row) from n
-- columns: ["",""]
-- row: [1,1]
-- row: [3,2]
-- row: [5,3]
-- row: [7,4]
-- row: [9,5]

select id from n qualify row_number() over (order by id) = (select id from m where y = 'one')
-- columns: ["id"]
-- row: [1]

select row_number() over (partition by (select y from m where m.id = n.id and y != 'deux') order by id), id from n
-- columns: ["","id"]
-- row: [1,3]
-- row: [2,4]
-- row: [3,5]
-- row: [1,1]
-- row: [1,2]

select 1 from n qualify row_number() over (order by count(*)) = 1
-- columns: [""]
-- row: [1]

select id, max(id) over () - id as d from n order by max(id) over () - id
-- columns: ["id","d"]
-- row: [5,0]
-- row: [4,1]
-- row: [3,2]
-- row: [2,3]
-- row: [1,4]

select id from n order by count(*) over (partition by g), id
-- columns: ["id"]
-- row: [3]
-- row: [4]
-- row: [5]
-- row: [1]
-- row: [2]

select g, count(*) from n group by g order by count(*) over (), g
-- columns: ["g",""]
-- row: [null,1]
-- row: ["a",2]
-- row: ["b",1]
-- row: ["c",1]

select g, x, count(*) over (partition by g, x) as c, sum(x) over (partition by g order by id rows between unbounded preceding and 1 preceding) as before from n order by id
-- columns: ["g","x","c","before"]
-- row: ["a",10,1,null]
-- row: ["a",20,1,10]
-- row: ["b",null,1,null]
-- row: [null,40,1,null]
-- row: ["c",10,1,null]
