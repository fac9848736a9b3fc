-- name: like_any_of_an_array
-- reference: select v, (v like 'x%' or v like 'a%') as a, (v like '%c' and v like 'a%') as b, (v like '_' or v like cast(null as string) or v like 'ab%') as c, (v like cast(null as string) and v like 'a%') as d from unnest(['abc', 'b', null, '']) as v order by v
select v, v like any unnest(split('x%,a%')) as a, v like all unnest(split('%c,a%')) as b, v like some unnest(['_', null, 'ab%']) as c, v like all unnest([null, 'a%']) as d from unnest(['abc', 'b', null, '']) as v order by v
-- name: like_any_of_no_patterns
-- reference: select v, false as a, false as b, true as c, true as d, cast(null as bool) as e, cast(null as bool) as f from unnest(['a', null]) as v order by v
select v, v like any unnest(cast(null as array<string>)) as a, v like any unnest(cast([] as array<string>)) as b, v like all unnest(cast(null as array<string>)) as c, v like all unnest(cast([] as array<string>)) as d, v like any unnest([cast(null as string)]) as e, v like all unnest([cast(null as string), null]) as f from unnest(['a', null]) as v order by v
-- name: not_like_any_of_no_patterns
-- reference: select v, false as a, false as b, true as c, true as d from unnest(['a', null]) as v order by v
select v, v not like any unnest(cast(null as array<string>)) as a, v not like any unnest(cast([] as array<string>)) as b, v not like all unnest(cast(null as array<string>)) as c, v not like all unnest(cast([] as array<string>)) as d from unnest(['a', null]) as v order by v
-- name: not_like_any_negates_each_pattern
-- reference: select v, (v not like 'a%' or v not like '%c') as a, (v not like 'a%' and v not like '%c') as b, (v not like 'a%' or v not like cast(null as string)) as c, (v not like cast(null as string) and v not like '%z') as d from unnest(['abc', 'ab', 'z', null]) as v order by v
select v, v not like any ('a%', '%c') as a, v not like all ('a%', '%c') as b, v not like any ('a%', null) as c, v not like all (null, '%z') as d from unnest(['abc', 'ab', 'z', null]) as v order by v
-- name: not_like_any_of_an_array
-- reference: select v, (v not like 'a%' or v not like '%c') as a, (v not like 'a%' and v not like '%c') as b, (v not like 'a%' or v not like cast(null as string)) as c, (v not like cast(null as string) and v not like '%z') as d from unnest(['abc', 'ab', 'z', null]) as v order by v
select v, v not like any unnest(split('a%,%c')) as a, v not like all unnest(split('a%,%c')) as b, v not like any unnest(['a%', null]) as c, v not like all unnest([null, '%z']) as d from unnest(['abc', 'ab', 'z', null]) as v order by v
-- name: like_any_of_a_subquery
-- reference: select s, (s like 'h%' or s like 'a%') as a, (s like '%' and s like '%e%') as b, (s not like '%' or s not like cast(null as string)) as c, (s not like 'z%' and s not like cast(null as string)) as d from texts where id < 6 order by id
select s, s like any (select concat(x, '%') from unnest(['h', 'a']) as x) as a, s like all (select x from unnest(['%', '%e%']) as x) as b, s not like any (select x from unnest(['%', null]) as x) as c, s not like all (select x from unnest(['z%', null]) as x) as d from texts where id < 6 order by id
-- name: like_any_of_a_subquery_without_rows
-- reference: select false as a, true as b, false as c, true as d
select s like any (select x from unnest(['a']) as x where false) as a, s like all (select x from unnest(['a']) as x where false) as b, s not like any (select x from unnest(['a']) as x where false) as c, s not like all (select x from unnest(['a']) as x where false) as d from texts where id = 1
-- name: like_any_of_patterns_of_the_row
-- reference: select v, (v like concat(v, '%') or v like 'x') as a, (v like v and v like concat(substr(v, 0, 1), '%')) as b, (v like concat(v, '_') or v like v) as c from unnest(['abc', 'b', null]) as v order by v
select v, v like any unnest([concat(v, '%'), 'x']) as a, v like all unnest([v, concat(substr(v, 0, 1), '%')]) as b, v like any (select concat(v, x) from unnest(['_', '']) as x) as c from unnest(['abc', 'b', null]) as v order by v
-- name: like_any_of_bytes
-- reference: select v, (v like b'\xff%' or v like b'a_') as a, (v like b'%\xfe' and v like b'\xff%') as b, (v not like b'a%' or v not like b'\xff%') as c, (v like b'%\xfe' or v like cast(null as bytes)) as d from unnest([b'\xff\xfe', b'ab', null]) as v order by v
select v, v like any unnest([b'\xff%', b'a_']) as a, v like all unnest(split(b'%\xfe,\xff%', b',')) as b, v not like any (b'a%', b'\xff%') as c, v like any (select x from unnest([b'%\xfe', null]) as x) as d from unnest([b'\xff\xfe', b'ab', null]) as v order by v
-- name: like_any_in_where
-- reference: select id from texts where (s like '%a%' or s like '%e%') and s not like '%z%' order by id
select id from texts where s like any unnest(['%a%', '%e%']) and s not like all (select '%z%') order by id
-- name: like_any_with_a_dangling_escape_in_an_array
-- fails: a pattern ends with a backslash
-- reference: select v like 'b' or v like 'a\\' as l from unnest(['a']) as v
select v like any unnest(split('b,a\\')) as l from unnest(['a']) as v
-- name: ilike_of_arrays
-- by hand: ILIKE is no part of GoogleSQL
-- rows: [[true, false, true, false]]
select 'ABC' ilike any unnest(split('x%,a%')) as a, 'ABC' ilike all unnest(split('x%,a%')) as b, 'ABC' not ilike any unnest(split('x%,a%')) as c, 'ABC' not ilike all (select 'a%') as d
