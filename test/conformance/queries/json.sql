-- name: json_value_of_json
select id, json_value(j, '$.n') as n, json_value(j, '$.s') as s, json_value(j, '$.t') as t, json_value(j, '$.a') as a, json_value(j) as whole from documents where id <> 7 order by id
-- name: json_value_of_text
select id, json_value(t, '$.n') as n, json_value(t, '$.s') as s, json_value(t, '$.z') as z, json_value(t, '$.a.b[1]') as a, json_value(t) as whole from documents where id <> 6 order by id
-- name: json_value_quoted_members
select json_value(j, '$."a.b"') as a, json_value(j, '$."k y"."$"') as b, json_value(j, '$.é') as c from documents where id = 6
-- name: json_value_of_positions
select id, json_value(j, '$[0]') as a, json_value(j, '$[1]') as b, json_value(j, '$[4].k') as c, json_value(j, '$[9]') as d from documents order by id
-- name: json_extract_scalar_is_alike
select id, json_extract_scalar(j, '$.n') as n, json_extract_scalar(t, "$['s']") as s from documents where id <> 6 order by id
-- name: json_query_of_json
select id, json_query(j, '$.a') as a, json_query(j, '$.n') as n, json_query(j, '$[3]') as b, json_query(j, '$') as whole from documents order by id
-- name: json_query_of_text
select id, json_query(t, '$.a') as a, json_query(t, '$.s') as s, json_query(t, '$.z') as z from documents where id <> 6 order by id
-- name: json_extract_is_alike
select id, json_extract(j, '$.a.b') as a, json_extract(t, '$.a.b[2]') as b from documents where id <> 6 order by id
-- name: json_value_array_of_scalars
select json_value_array('[1, "two", true]') as a, json_value_array('{"x": ["a", "b"]}', '$.x') as b, json_value_array('[]') as c, json_value_array('{}') as d, json_value_array('[1, [2]]') as e
-- name: json_value_array_of_json
select json_value_array(json '[1, "two", true]') as a, json_value_array(json '{"x": ["a"]}', '$.x') as b, json_value_array(json '5') as c
-- name: json_value_array_with_null
select array_length(json_value_array('[null, 1]')) as n, json_value_array('[null, 1]')[offset(0)] is null as first_is_null
-- name: json_extract_string_array_is_alike
select json_extract_string_array('["a", 2]') as a, json_extract_string_array(json '{"x": [3]}', '$.x') as b
-- name: json_query_array_of_json
select id, json_query_array(j) as a, json_query_array(j, '$.a.b') as b from documents order by id
-- name: json_query_array_of_text
select json_query_array('[1, {"a": 2}, "x"]') as a, json_query_array('{"x": [[]]}', '$.x') as b, json_query_array('7') as c
-- name: json_extract_array_is_alike
select json_extract_array('[1, {"a": 2}]') as a, json_extract_array(json '{"x": [1, 2]}', '$.x') as b
-- name: parse_json_reads
select parse_json('{"a": [1, 2.5, "x", true, null]}') as a, parse_json('"s"') as b, parse_json('-12') as c, parse_json(cast(null as string)) as d
-- name: parse_json_of_other_text
-- fails: no JSON
select parse_json(t) as a from documents where id = 7
-- name: to_json_of_values
select to_json(1) as a, to_json('x') as b, to_json(true) as c, to_json(date '2026-05-01') as d, to_json([1, 2]) as e, to_json(struct(1 as a, 'b' as b)) as f, to_json(1.5) as g
-- name: to_json_string_of_values
select to_json_string(1) as a, to_json_string('x"y\n') as b, to_json_string(true) as c, to_json_string(date '2026-05-01') as d, to_json_string([1, null]) as e, to_json_string(struct(1 as a, cast(null as string) as b)) as f, to_json_string(cast(null as int64)) as g
-- name: to_json_string_of_times
select id, to_json_string(ts) as ts, to_json_string(dt) as dt, to_json_string(d) as d, to_json_string(t) as t from times order by id
-- name: to_json_string_of_numbers
select id, to_json_string(i) as i, to_json_string(f) as f from numbers order by id
-- name: to_json_string_of_extremes
select id, to_json_string(i) as i, to_json_string(f) as f from extremes order by id
-- name: to_json_string_of_texts
select id, to_json_string(s) as s from texts order by id
-- name: to_json_string_of_bytes
select id, to_json_string(b) as b from flags order by id
-- name: to_json_string_of_json
select id, to_json_string(j) as j from documents where id in (2, 3, 4, 5, 8, 9) order by id
-- name: json_type_names
select id, json_type(j) as a, json_type(json_query(j, '$.a')) as b from documents order by id
-- name: json_keys_of_objects
-- by hand: the evaluator has no json_keys; the examples of its reference and the order of bytes
-- rows: [[["a", "a.b"], ["a"], ["a", "d"], ["a"], [], ["\"a.b\"", "\"a.b\".c", "B", "b"], null]]
select json_keys(json '{"a": {"b": 1}}') as a, json_keys(json '{"a": {"b": 1}}', 1) as b, json_keys(json '{"a": [{"b": 1}, {"c": 2}], "d": 3}') as c, json_keys(json '{"a": [[{"b": 1}]]}', mode => 'lax') as d, json_keys(json '5') as e, json_keys(json '{"b": 1, "a.b": {"c": 1}, "B": 2}', cast(null as int64)) as f, json_keys(json '{}', mode => cast(null as string)) as g
-- name: json_keys_in_arrays
-- by hand: the evaluator has no json_keys; the examples of its reference
-- rows: [[["a", "a.b", "a.c", "d"], ["a", "a.b"], ["a", "a.b", "a.b.c"], ["a", "a.b"], ["a", "a.b", "a.b.c"]]]
select json_keys(json '{"a": [{"b": 1}, {"c": 2}], "d": 3}', mode => 'lax') as a, json_keys(json '{"a": [[{"b": 1}]]}', mode => 'lax recursive') as b, json_keys(json '{"a": [{"b": [{"c": 1}]}]}', mode => 'lax') as c, json_keys(json '{"a": [{"b": [[{"c": 1}]]}]}', mode => 'lax') as d, json_keys(json '{"a": [{"b": [[{"c": 1}]]}]}', mode => 'lax recursive') as e
-- name: json_keys_of_rows
-- by hand: the evaluator has no json_keys
-- rows: [["a.b", 2], ["a", 2]]
select k, count(*) as n from unnest(['{"a": {"b": 1}}', '{"a": {"b": 2}}']) as t, unnest(json_keys(parse_json(t))) as k group by k order by k desc
-- name: lax_bool_reads
select lax_bool(json 'true') as a, lax_bool(json '"false"') as b, lax_bool(json '1') as c, lax_bool(json '0') as d, lax_bool(json '"x"') as e, lax_bool(json '[]') as f
-- name: lax_int64_reads
select lax_int64(json '1') as a, lax_int64(json '1.5') as b, lax_int64(json '"7"') as c, lax_int64(json 'true') as d, lax_int64(json '"x"') as e, lax_int64(json '{}') as f, lax_int64(json '1e100') as g
-- name: lax_float64_reads
select lax_float64(json '1') as a, lax_float64(json '"1.5"') as b, lax_float64(json '"NaN"') as c, lax_float64(json 'true') as d, lax_float64(json '"-inf"') as e, lax_float64(json '"x"') as f
-- name: lax_string_reads
select lax_string(json '1') as a, lax_string(json '"x"') as b, lax_string(json 'true') as c, lax_string(json '{}') as d, lax_string(json '1.5') as e
-- name: strict_readers
select bool(json 'true') as a, int64(json '7') as b, float64(json '1.5') as c, string(json '"x"') as d, int64(json '3.0') as e, float64(json '2') as f
-- name: strict_bool_of_text
-- fails: no boolean
select bool(json_query(j, '$.s')) as a from documents where id = 1
-- name: strict_int64_of_fraction
-- fails: no whole number
select int64(json_query(j, '$.f')) as a from documents where id = 1
-- name: strict_string_of_number
-- fails: no text
select string(json_query(j, '$.n')) as a from documents where id = 1
-- name: strict_float64_of_text
-- fails: no number
select float64(json_query(j, '$.s')) as a from documents where id = 1
-- name: json_fields_and_elements
select j.a.b[0] as a, j.a.b[2].c as b, j['n'] as c, j.a.nothing as d from documents where id = 1
-- name: json_elements_beyond_the_end
select j[1] as a, j[99] as b, j[4].k as c from documents where id = 2
-- name: json_number_digits
select json_value(j, '$.n') as n, to_json_string(json_query(j, '$.n')) as m, json_value(t, '$.n') as t from documents where id = 7
-- name: json_null_is_not_null
select json_value('{"a": null}', '$.a') is null as a, json_query('{"a": null}', '$.a') as b, json_query('{"a": 1}', '$.b') is null as c
-- name: json_unicode
-- by hand: the evaluator reads the two halves of a surrogate pair as two characters
-- rows: [["é😀", "\n\"\\"]]
select json_value('{"a": "\\u00e9\\ud83d\\ude00"}', '$.a') as a, json_value('["\\n\\"\\\\"]', '$[0]') as b
-- name: json_of_subquery_rows
select to_json_string(t) as row_text from (select 1 as a, 'x' as b union all select 2, null) as t order by 1
-- name: json_array_of_structs
select to_json_string(array(select as struct id, s from texts where id <= 3 order by id)) as a
-- name: format_nested_values
select t.id, format('%t|%T|%s', r.method, r.method, r.method) as a, format('%t|%T|%d', s.status_code, s.status_code, s.status_code) as b, format('%T|%t', [r.method], (r.method, 1)) as c from edge_logs as t cross join unnest(t.metadata) as m left join unnest(m.request) as r left join unnest(m.response) as s order by t.id
-- name: json_object_of_values
select id, json_object('id', id, 's', s, 'a', a, 'n', null) as o from lists order by id
-- name: json_object_of_types
select json_object('a', 1.5, 'b', true, 'c', date '2026-05-01', 'd', timestamp '2026-05-01 10:00:00.5+00', 'e', b'ab', 'f', cast('nan' as float64), 'g', struct(1 as x, 'y' as y), 'h', json '{"k": [1, null]}', 'i', interval 1 day, 'j', time '10:00:00') as o
-- name: json_object_names
select json_object() as a, json_object('a', 1, 'a', 2) as b, json_object('', 1, 'A', 2, 'a', 3) as c, json_object('é"\\\n', 'é"\\\n') as d, json_value(json_object('a', json_object('b', 'x')), '$.a.b') as e
-- name: json_object_with_a_name_of_nothing
-- fails: no name
select json_object(cast(null as string), 1) as a
-- name: json_array_of_values
select json_array() as a, json_array(1, 'a', null, true, 1.5) as b, json_array([1, 2], json '[1, {"b": null}]', struct(1 as a)) as c, json_array(array<int64>[], cast(null as array<int64>)) as d, to_json_string(json_array('a"b', json_array())) as e
-- name: json_array_of_rows
select id, json_array(id, s, t, length(s)) as a from texts order by id
-- name: members_given_twice
select json '{"a":1,"b":0,"a":2}' as a, json '{"a":{"b":1,"b":2},"a":3}' as b, parse_json('{"a":[{"x":1,"x":2}],"a":0}') as c, to_json_string(json '{"a":1,"b":2,"a":3}') as d, json_value(j, '$.a') as e, lax_int64(parse_json(j).a) as f, to_json(struct(1 as a, 2 as a, 3 as A)) as g, to_json_string(struct(1 as a, 2 as a)) as h from unnest(['{"a":1,"b":0,"a":2}']) as j
-- name: members_given_twice_of_what_is_no_json
select safe.parse_json('{"a":1,"a":2') as a, safe.parse_json('{"a":1,"a":2,}') as b
-- name: fields_of_one_name
-- by hand: the evaluator's rows are read as objects, in which one of them is lost
-- rows: [[{"a": "abc", "a_1": 3}, [{"x": 1, "X": 2, "x_1": 3}], {"_field_1": 1, "_field_2": 2}]]
select struct('abc' as a, 3 as a) as s, [struct(1 as x, 2 as X, 3 as x)] as l, (1, 2) as t
-- name: parse_json_takes_json_alone
select o, safe.parse_json(x) is null as a from unnest(['[1]', '[1,]', '{"a":1,}', 'NaN', '[Infinity]', '[-inf]', '{"a":nan}', '[1] x', '/**/[1]', "['a']", '{a:1}', '[01]', '[1', '', ' ', '[+1]', '[.5]', '[1.]', '[TRUE]', '[0x10]', '{"a":"NaN, ]", "b":",}", "c":"\\",}', '{"a":"NaN, ]", "b":",}", "c":"x\\\\"}', '{"a": ":nan"}']) as x with offset as o order by o
-- name: texts_with_what_is_no_number
select json_value(x, '$.a') as a, json_query(x, '$.b') as b, json_query(x, '$') as c from unnest(['{"b":1,"a":NaN}', '{"b":2,"a":-Infinity}', '{"b":[nan]}', '{"a":"NaN","b":"info: inf"}']) as x with offset as o order by o
-- name: bare_names_in_brackets
select json_extract(j, '$[a][b]') as a, json_extract(parse_json(j), '$[a]') as b, json_extract_scalar(j, '$[1a]') as c, json_extract_scalar(j, '$[ c-d ]') as d, json_extract_array(j, '$[l]') as e, json_extract_string_array(j, '$[l]') as f, json_extract(j, "$[a]['b']") as g, json_extract(j, '$[l][1]') as h from unnest(['{"a":{"b":1},"1a":2,"c-d":3,"l":[4,5]}']) as j
-- name: bare_names_in_brackets_of_json_query
-- fails: JSON_QUERY takes the standard form alone
select json_query('{"a":1}', '$[a]') as a
-- name: pretty_json_text
select to_json_string(struct(1 as id, [10, 20] as c, struct([1] as a, cast(null as int64) as b) as s, cast([] as array<int64>) as e, json '{"a":[1,{"b":[]}],"c":{},"d":"x, [y] \\" {"}' as j, 1.5 as f, ['a', null] as t), true) as a, to_json_string(1, true) as b, to_json_string([1], cast(null as bool)) as c, to_json_string(cast(null as array<int64>), true) as d, to_json_string(json '[1,{"a":true}]', true) as e, to_json_string(cast(null as struct<a int64>), true) as f, to_json_string([struct([struct('x' as y)] as z)], true) as g, to_json_string(json '"a"', true) as h, to_json_string(struct(1 as a), false) as i, to_json_string(b'ab', true) as j
-- name: pretty_json_text_row_by_row
select to_json_string(x, b) as t from (select [1, 2] as x, true as b union all select [3], false union all select [], true union all select [4], null) order by t
-- name: pretty_json_text_of_nested_values
select to_json_string(x, true) as t, json_value(to_json_string(x, true), '$[1].b') as b from unnest([json '[1,{"b":"q"}]', json '[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]', json '[[1],[2],[3],[4],[5],[6],[7],[8],[9],[10],[11],[12],[13],[14],[15],[16],[17]]', json '7', json '"\\u2028"']) as x order by t
-- name: members_by_constant_texts
select (json '{"f1":{"f2":"foo"}}')[concat('f', '1')][concat('f', '2')] as a, (json '{"a":1}')[cast(null as string)] as b, (json '{"ab":1}')['a' || 'b'] as c
