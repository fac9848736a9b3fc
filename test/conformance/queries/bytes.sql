-- name: case_and_order_of_bytes
with v as (select 1 as n, b'aZ\xe2\x00\xff' as x union all select 2, b'' union all select 3, null union all select 4, cast('éÀ' as bytes)) select n, upper(x) as u, lower(x) as l, reverse(x) as r, ascii(x) as a from v order by n
-- name: every_byte_through_a_text_function
select to_hex(reverse(code_points_to_bytes(generate_array(0, 255)))) as a, to_hex(replace(code_points_to_bytes(generate_array(0, 255)), b'\x80', b'\xc2\x80\xc3')) as b
-- name: trim_bytes
select trim(b' a b ', b' ') as a, trim(b'\xff\x00a\xff', b'\xff\x00') as b, ltrim(b' \xe2\x82\xac ', b' \xe2') as c, rtrim(b'\xe2\x82\xac ', b'\xac ') as d, trim(b'abc', b'') as e, trim(b'abc', null) as f
-- name: pad_bytes
select lpad(b'abc', 5) as a, rpad(b'abc', 5) as b, lpad(b'\xff', 4, b'\x00\x80') as c, rpad(b'abc', 2) as d, lpad(cast(null as bytes), 2) as e, rpad(b'a', 3, b'\xe2\x82') as f
-- name: repeat_bytes
select repeat(b'\xffa', 3) as a, repeat(b'', 3) as b, repeat(b'a', 0) as c, repeat(cast(null as bytes), 2) as d
-- name: replace_and_translate_bytes
select replace(b'\xe2\x82\xac', b'\xac', b'\xff\x00') as a, replace(b'abab', b'', b'x') as b, replace(b'abab', b'ab', b'') as c, translate(b'ab\xfe', b'a\xfe', b'x\x01') as d, translate(b'abc', b'bc', b'\xff') as e
-- name: split_bytes
select split(b'192.0.0.1', b'.') as a, split(b'ab\x00c\x00', b'\x00') as b, split(b'', b'') as c, split(b'\x00\xff', b'') as d, split(b'', b'x') as e, split(b'aaaaa', b'aa') as f
-- name: split_bytes_row_by_row
select v, array_length(split(v, d)) as n, split(v, d)[offset(0)] as first from unnest([struct(b'a\xffb' as v, b'\xff' as d), (b'\xff\xff', b'\xff'), (b'', b'x')]) order by v
-- name: places_in_bytes
select strpos(b'\xe2\x82\xac', b'\x82') as a, strpos(b'abc', b'') as b, strpos(b'\x12\x34', b'\x23') as c, instr(b'\xe2\x82\x82', b'\x82', 1, 2) as d, instr(b'\xe2\x82\x82', b'\x82', -1) as e, instr(b'abc', b'c', 2) as f
-- name: ends_of_bytes
select starts_with(b'', b'') as a, starts_with(b'', b'a') as b, starts_with(null, b'a') as c, starts_with(b'\xe2\x82', b'\xe2') as d, ends_with(b'\xe2\x82\xac', b'\xac') as e, ends_with(b'\x1a', b'a') as f
-- name: like_of_bytes
select b'\xff\x00\xfe' like b'\xff_\xfe' as a, b'abc' like b'a%' as b, b'\xe2\x82\xac' like b'___' as c, b'\xe2\x82\xac' like b'_' as d, b'a%' like b'a\\%' as e, b'ab' like b'a\\%' as f, b'\n' like b'_' as g, b'x' like cast(null as bytes) as h, b'' like b'%' as i
-- name: like_of_bytes_row_by_row
select v, v like p as l, v not like p as n from unnest([struct(b'a\xffb' as v, b'a%b' as p), (b'\xff\xff', b'_\xff'), (b'', b''), (null, b'%')]) order by v
-- name: like_of_bytes_with_a_dangling_escape
-- fails: the pattern ends with a backslash
select v like b'a\\' as l from unnest([b'a']) as v
-- name: regexps_of_bytes
select regexp_contains(b'\xff\xfe', b'^..$') as a, regexp_contains(b'\xe2\x82\xac', b'^.$') as b, regexp_extract(b'abcabc', b'a(.)c') as c, regexp_extract(b'a\xffb', b'[^a-z]') as d, regexp_extract_all(b'\xff\xfe', b'.') as e, regexp_replace(b'a\xffb', b'[\x80-\xff]', b'<\\0>') as f, regexp_instr(b'ab\xffab', b'b', 3) as g
-- name: regexps_of_bytes_without_regard_to_case
select regexp_contains(b'ABC', b'(?i)abc') as a, regexp_replace(b'AbC', b'(?i)[a-b]', b'x') as b, regexp_extract(b'x=1;Y=2', b'(?i)y=(\\d)') as c
-- name: regexps_of_bytes_row_by_row
select v, regexp_extract(v, p) as e, regexp_replace(v, p, b'\xff') as r, regexp_contains(v, p) as c from unnest([struct(b'a1b22' as v, b'[0-9]+' as p), (b'\xe9t\xe9', b'\xe9'), (null, b'a')]) order by v
-- name: joined_bytes
select array_to_string([b'a', null, b'\xff'], b'--') as a, array_to_string([b'a', null, b'\xff'], b'\x00', b'N') as b, array_to_string(cast([] as array<bytes>), b',') as c, array_to_string([b'a', b'b'], cast(null as bytes)) as d
-- name: string_agg_of_bytes
select string_agg(v order by v) as a, string_agg(v, b'\xff' order by v desc) as b, string_agg(distinct v, b'' order by v) as c, string_agg(v, b';' order by v limit 2) as d from unnest([b'b', b'\xfe', null, b'a', b'a', b'']) as v
-- name: string_agg_of_bytes_over_windows
select n, string_agg(v, b'|') over (order by n rows between 1 preceding and current row) as s from unnest([struct(1 as n, b'a' as v), (2, b'\xff'), (3, null), (4, b'')]) order by n
-- name: bits_of_bytes
-- by hand: the evaluator counts the bits of INT64 alone
-- rows: [[80, 0, null, 1]]
select bit_count(b'\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff') as a, bit_count(b'') as b, bit_count(cast(null as bytes)) as c, bit_count(b'\x00\x08') as d
-- name: bitwise_aggregates_of_bytes
-- by hand: the evaluator has no such aggregates of BYTES
-- rows: [["D/AA", "//8P", "8A8P"]]
select bit_and(x) as a, bit_or(x) as o, bit_xor(x) as x from unnest([b'\xff\xf0\x0f', null, b'\x0f\xff\x00']) as x
-- name: bitwise_aggregates_of_no_bytes
-- by hand: the evaluator has no such aggregates of BYTES
-- rows: [["", null, "AA=="]]
select bit_and(x) as a, (select bit_or(y) from unnest([cast(null as bytes)]) as y) as o, (select bit_xor(y) from unnest([b'\x05', b'\x05']) as y) as x from unnest([b'', null, b'']) as x
-- name: group_by_bytes_in_one_case
select upper(v) as u, count(*) as n from unnest([b'a', b'A', b'\xe2', null, b'B']) as v group by u order by u
-- name: long_byte_strings_joined
-- by hand: the evaluator makes no values of more than 1 MiB
-- rows: [[2700002, 2700002, 1800000]]
select byte_length(string_agg(v)) as a, byte_length(array_to_string(array_agg(v), b'-')) as b, byte_length(string_agg(v, b'' limit 2)) as c from unnest([repeat(b'x', 900000), repeat(b'\xff', 900000), repeat(b'z', 900000)]) as v
