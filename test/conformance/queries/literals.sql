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
-- name: json_object_of_computed_names
select k, to_json_string(json_object(k, v, concat(k, '2'), [v, null])) as a from unnest(['a', 'b"é', '', '\\\n']) as k with offset as v order by v
-- name: json_object_of_computed_names_that_repeat
select k, to_json_string(json_object('a', 1, k, 2, 'c', 3, concat('', k), 4)) as j from unnest(['a', 'b', 'c']) as k order by k
-- name: json_object_of_aggregated_names
select v > 2 as g, to_json_string(json_object(array_agg(k order by k), array_agg(v order by k))) as a, to_json_string(json_object(array_agg(k order by k, v), array_agg(struct(v as v) order by k, v))) as b from unnest(['a', 'c', 'b', 'd', 'd', 'é']) as k with offset as v group by g order by g
-- name: json_object_of_computed_names_safely
select k, safe.json_object(k, 1) is null as a, safe.json_object([k, 'x'], [1]) is null as b from unnest(['a', null]) as k order by k
-- name: json_object_of_a_computed_name_of_nothing
-- fails: a name that is NULL
select json_object(k, 1) as j from unnest([cast(null as string)]) as k
-- name: json_object_of_more_names_than_values
-- fails: two names, one value
select json_object(array_agg(k), [1]) as j from unnest(['a', 'b']) as k
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
