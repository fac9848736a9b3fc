select id from (with n as (select 3 as id union all select 4) select id from n) where id > 3
-- columns: ["id"]
-- row: [4]

(select id from n order by id desc limit 2) union all (select id from m order by y limit 1)
-- columns: ["id"]
-- row: [5]
-- row: [4]
-- row: [7]

(select id from n union all select id from m) except distinct select 2
-- columns: ["id"]
-- row: [null]
-- row: [1]
-- row: [3]
-- row: [4]
-- row: [5]
-- row: [7]

select id from n union all (select id from m except distinct select 2) order by id
-- columns: ["id"]
-- row: [null]
-- row: [1]
-- row: [1]
-- row: [2]
-- row: [3]
-- row: [4]
-- row: [5]
-- row: [7]

select id from n intersect distinct (select id from m union all select 3) order by id limit 1
-- columns: ["id"]
-- row: [1]

select 1 union all select null union all select null union all select 2
-- columns: [""]
-- row: [1]
-- row: [null]
-- row: [null]
-- row: [2]

select null union all select 'x' union all select null
-- columns: [""]
-- row: [null]
-- row: ["x"]
-- row: [null]

select null as a, 1 as b union all select 2, null union all select null, null
-- columns: ["a","b"]
-- row: [null,1]
-- row: [2,null]
-- row: [null,null]

select 1 as a union all select 1.5
-- columns: ["a"]
-- row: [1]
-- row: [1.5]

select date '2020-01-01' as d union all select null
-- columns: ["d"]
-- row: ["2020-01-01"]
-- row: [null]

select [1] as a union all select null union all select []
-- columns: ["a"]
-- row: [[1]]
-- row: [null]
-- row: [[]]

select id from n except distinct select id from m
-- columns: ["id"]
-- row: [3]
-- row: [4]
-- row: [5]

select g from n except distinct select g from n where g is null
-- columns: ["g"]
-- row: ["a"]
-- row: ["b"]
-- row: ["c"]

select g from n intersect distinct select null
-- columns: ["g"]
-- row: [null]

select id from n union distinct select id from m
-- columns: ["id"]
-- row: [null]
-- row: [1]
-- row: [2]
-- row: [3]
-- row: [4]
-- row: [5]
-- row: [7]

with a as (select id from n where id < 3) select id from a union all select id from a union all select id from m where id in (select id from a)
-- columns: ["id"]
-- row: [1]
-- row: [2]
-- row: [1]
-- row: [2]
-- row: [1]
-- row: [2]
-- row: [2]

select id from n union all select id from m order by id desc limit 3
-- columns: ["id"]
-- row: [7]
-- row: [5]
-- row: [4]

select id a from n union all select id b from m order by a nulls last
-- columns: ["a"]
-- row: [1]
-- row: [1]
-- row: [2]
-- row: [2]
-- row: [2]
-- row: [3]
-- row: [4]
-- row: [5]
-- row: [7]
-- row: [null]

select id from n union all select id from m order by 1 nulls last, id
-- columns: ["id"]
-- row: [1]
-- row: [1]
-- row: [2]
-- row: [2]
-- row: [2]
-- row: [3]
-- row: [4]
-- row: [5]
-- row: [7]
-- row: [null]

select id as a, g from n union distinct select id, null from m
-- columns: ["a","g"]
-- row: [null,null]
-- row: [1,null]
-- row: [1,"a"]
-- row: [2,null]
-- row: [2,"a"]
-- row: [3,"b"]
-- row: [4,null]
-- row: [5,"c"]
-- row: [7,null]

select id from n except distinct (select id from m intersect distinct select 2)
-- columns: ["id"]
-- row: [1]
-- row: [3]
-- row: [4]
-- row: [5]

select [1, 2] union distinct select [1, 2]
-- columns: [""]
-- row: [[1,2]]

select struct(1 as a) union all select struct(2 as b)
-- columns: [""]
-- row: [[1]]
-- row: [[2]]

select 1 except distinct select 1
-- columns: [""]

select null intersect distinct select null
-- columns: [""]
-- row: [null]

select null except distinct select null
-- columns: [""]

select id from n intersect all select id from m
-- columns: ["id"]
-- row: [1]
-- row: [2]

select id from n except all select 1
-- columns: ["id"]
-- row: [2]
-- row: [3]
-- row: [4]
-- row: [5]

select as value struct(1 as a) union all select as value struct(2 as b)
-- columns: [""]
-- row: [[1]]
-- row: [[2]]
