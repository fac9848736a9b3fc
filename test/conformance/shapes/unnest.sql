select id, v, o from arr, unnest(xs) v with offset o
-- columns: ["id","v","o"]
-- row: [1,1,0]
-- row: [1,2,1]
-- row: [1,3,2]
-- row: [4,5,0]
-- row: [4,null,1]

select id, v, o from arr left join unnest(xs) v with offset as o order by id, o
-- columns: ["id","v","o"]
-- row: [1,1,0]
-- row: [1,2,1]
-- row: [1,3,2]
-- row: [2,null,null]
-- row: [3,null,null]
-- row: [4,5,0]
-- row: [4,null,1]

select id, v from arr, arr.xs as v
-- columns: ["id","v"]
-- row: [1,1]
-- row: [1,2]
-- row: [1,3]
-- row: [4,5]
-- row: [4,null]

select id, v from arr a, a.xs v where v > 1
-- columns: ["id","v"]
-- row: [1,2]
-- row: [1,3]
-- row: [4,5]

select * from unnest([3, 1, 2]) as v order by v
-- columns: ["v"]
-- row: [1]
-- row: [2]
-- row: [3]

select * from unnest([struct(1 as a, 'x' as b), (2, 'y')])
-- columns: ["a","b"]
-- row: [1,"x"]
-- row: [2,"y"]

select t from unnest([struct(1 as a, 'x' as b)]) t
-- columns: ["t"]
-- row: [[1,"x"]]

select t.a, b from unnest([struct(1 as a, 'x' as b)]) t
-- columns: ["a","b"]
-- row: [1,"x"]

select a.v, b from unnest([1, 2]) as v, unnest([struct(v as v)]) a, unnest([10]) b
-- columns: ["v","b"]
-- row: [1,10]
-- row: [2,10]

select id in unnest([1, 2, null]) from n
-- columns: [""]
-- row: [true]
-- row: [true]
-- row: [null]
-- row: [null]
-- row: [null]

select a.id, v from arr a left join unnest(a.xs) v
-- columns: ["id","v"]
-- row: [1,1]
-- row: [1,2]
-- row: [1,3]
-- row: [2,null]
-- row: [3,null]
-- row: [4,5]
-- row: [4,null]

select a.id, v from arr a left join unnest(a.xs) v on v > 1
-- columns: ["id","v"]
-- row: [1,2]
-- row: [1,3]
-- row: [2,null]
-- row: [3,null]
-- row: [4,5]

select a.id, v from arr a inner join unnest(a.xs) v on v > 1
-- columns: ["id","v"]
-- row: [1,2]
-- row: [1,3]
-- row: [4,5]

select a.id, v, w from arr a, unnest(a.xs) v, unnest([v, v * 10]) w
-- columns: ["id","v","w"]
-- row: [1,1,1]
-- row: [1,1,10]
-- row: [1,2,2]
-- row: [1,2,20]
-- row: [1,3,3]
-- row: [1,3,30]
-- row: [4,5,5]
-- row: [4,5,50]
-- row: [4,null,null]
-- row: [4,null,null]

select * from arr a cross join unnest(xs)
-- columns: ["id","xs",""]
-- row: [1,[1,2,3],1]
-- row: [1,[1,2,3],2]
-- row: [1,[1,2,3],3]
-- row: [4,[5,null],5]
-- row: [4,[5,null],null]

select x from unnest([1, 2]) x join unnest([2, 3]) y on x = y
-- columns: ["x"]
-- row: [2]

select x, y from unnest([1, 2]) x left join unnest([2, 3]) y on x = y
-- columns: ["x","y"]
-- row: [1,null]
-- row: [2,2]

select x, y from unnest([1, 2]) x full join unnest([2, 3]) y on x = y
-- columns: ["x","y"]
-- row: [1,null]
-- row: [2,2]
-- row: [null,3]

select x, y from unnest([1, 2]) x right join unnest([2, 3]) y on x = y
-- columns: ["x","y"]
-- row: [2,2]
-- row: [null,3]

select * from unnest([1, 2]) x join unnest([2, 3]) x using (x)
-- columns: ["x"]
-- row: [2]

select n.id from n join unnest([1, 3]) v on n.id = v
-- columns: ["id"]
-- row: [1]
-- row: [3]

select n.id, v from n right join unnest([1, 9]) v on n.id = v
-- columns: ["id","v"]
-- row: [1,1]
-- row: [null,9]

select n.id, v from n full join unnest([1, 9]) v on n.id = v
-- columns: ["id","v"]
-- row: [1,1]
-- row: [2,null]
-- row: [3,null]
-- row: [4,null]
-- row: [5,null]
-- row: [null,9]
