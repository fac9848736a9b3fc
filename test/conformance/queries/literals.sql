-- name: adjacent_literals
-- reference: select 'abc123' as a, concat('x', r'\d', 'y') as b, b'a\xff' as c, date '2026-05-01' as d
select 'abc' '123' as a, 'x' /* and */ r'\d' -- so
 "y" as b, b'a' b'\xff' as c, date '2026-' "05-01" as d
-- name: names_that_begin_with_a_digit
-- by hand: the evaluator wants a table of such names
-- rows: [[1, "x"]]
select t.s.2b as a, (t.s).1e3 as b from (select json '{"2b": 1, "1e3": "x"}' as s) as t
-- name: json_object_of_arrays
select to_json_string(json_object(['a', 'b'], [10, null])) as a, to_json_string(json_object(cast([] as array<string>), [])) as b, to_json_string(json_object(['x', 'y', 'x'], ['1', 'two', '3'])) as c, to_json_string(json_object(['p', 'q'], [json '{"k": [1, null]}', json 'null'])) as d
-- name: json_object_of_computed_values
select to_json_string(json_object(['high', 'low'], array_agg(id order by id limit 2))) as j, to_json_string(json_object(['s'], [struct(min(id) as a, [1, 2] as l)])) as k from people
-- name: json_object_of_too_few_values
-- fails: two names and one value
select json_object(['a', 'b'], [1]) as j
-- name: json_object_of_too_many_values
-- fails: one name and two values
select json_object(['a'], [id, id]) as j from people
-- name: json_object_of_a_null_name
-- fails: a name is NULL
select json_object(['a', null], [1, 2]) as j
-- name: json_object_of_no_array
-- fails: the values are NULL
select json_object(['a'], cast(null as array<int64>)) as j
-- name: json_object_of_no_array_safely
select safe.json_object(['a'], cast(null as array<int64>)) is null as j, safe.json_object(cast(null as array<string>), [1]) is null as k
