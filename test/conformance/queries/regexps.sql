-- name: regexp_contains_classes
select id, regexp_contains(s, r'\d') as d, regexp_contains(s, r'^[a-z]+$') as w, regexp_contains(s, '') as e from texts order by id
-- name: regexp_contains_unicode
select id, regexp_contains(s, r'\pL{3}') as l, regexp_contains(s, 'é') as e, regexp_contains(s, r'^.{2}') as two, regexp_contains(s, '(?i)HELLO') as i from texts order by id
-- name: regexp_contains_column_pattern
select id, regexp_contains(s, t) as a from texts where t is null or t not in ('(', '/') order by id
-- name: regexp_dot_and_newline
select regexp_contains('a\nb', 'a.b') as a, regexp_contains('a\nb', '(?s)a.b') as b, regexp_contains('a\nb', '^b$') as c, regexp_contains('a\nb', '(?m)^b$') as d
-- name: regexp_extract_whole_and_group
select id, regexp_extract(s, '[a-z]+') as a, regexp_extract(s, '([a-z])[a-z]*$') as b, regexp_extract(s, 'zzz') as c from texts order by id
-- name: regexp_extract_position_and_occurrence
select id, regexp_extract(s, '[a-zé]', 2) as a, regexp_extract(s, 'l', 1, 2) as b, regexp_extract(s, '.', 100) as c from texts order by id
-- name: regexp_substr_is_regexp_extract
select id, regexp_substr(s, '[a-z]+', 1, 2) as a, regexp_substr(s, r'\d+') as b from texts order by id
-- name: regexp_extract_empty_match
select regexp_extract('abc', 'x*') as a, regexp_extract('', '.*') as b, regexp_extract(cast(null as string), 'a') as c, regexp_extract('a', '(b)?a') as d
-- name: regexp_extract_all_groups
select id, regexp_extract_all(s, '[a-z]+') as a, regexp_extract_all(s, '([a-z])l') as b from texts order by id
-- name: regexp_extract_all_empty_matches
select regexp_extract_all('abc', 'x*') as a, regexp_extract_all('', 'a') as b, regexp_extract_all(cast(null as string), 'a') as c
-- name: regexp_replace_groups
select id, regexp_replace(s, '([aeiou])', r'<\1>') as a, regexp_replace(s, r'\s+', '_') as b, regexp_replace(s, '', '-') as c from texts where id in (1, 2, 3, 4, 5, 9, 10, 15, 16) order by id
-- name: regexp_replace_backslashes
select regexp_replace('abc', 'b', r'\0\0') as a, regexp_replace('abc', 'b', r'\\') as b, regexp_replace('abc', '(a)(b)', r'\2\1') as c, regexp_replace('a.b', r'\.', '$') as d
-- name: regexp_word_boundaries
select regexp_replace('the cat, the dog', r'\bthe\b', 'a') as a, regexp_extract_all('a1 b22 c333', r'\b[a-z](\d+)') as b
-- name: regexp_named_groups
select regexp_extract('k=v', '(?P<key>[a-z])=') as a, regexp_contains('2026-05-01', r'^\d{4}-\d{2}-\d{2}$') as b
-- name: regexp_bad_pattern
-- fails: a pattern that is no regular expression
select regexp_contains(s, t || '(') as a from texts where id = 1
-- name: regexp_anchors_and_alternatives
select id, regexp_extract(s, '^(?:GET|POST) ([^ ?]+)') as path, regexp_extract(s, r'[?&]id=(\d+)') as q, regexp_extract(s, r'(\d{3})$') as code from texts where id in (1, 12, 16) order by id
-- name: like_patterns
select id, s like 'h%' as a, s like '%o' as b, s like '_b_' as c, s like '%' as d, s like '' as e, s like r'\%a\_b\%' as f from texts order by id
-- name: like_of_column
select id, s like concat('%', t, '%') as a, s not like '%a%' as b from texts order by id
-- name: like_escapes_and_newlines
select 'a%b' like r'a\%b' as a, 'axb' like r'a\%b' as b, r'a\b' like r'a\\b' as c, 'a\nb' like 'a_b' as d, 'é' like '_' as e, '😀' like '_' as f, 'A' like 'a' as g
-- name: ilike_ignores_case
-- reference: select id, lower(s) like 'hello%' as a, lower(s) like '%world' as b, lower(s) not like '%a%' as c from texts order by id
select id, s ilike 'HELLO%' as a, s ilike '%WORLD' as b, s not ilike '%A%' as c from texts order by id
-- name: like_with_escape_character
-- reference: select id, s like r'\%a%' as a from texts order by id
select id, s like '!%a%' escape '!' as a from texts order by id
-- name: regexp_instr_positions
select id, regexp_instr(s, '[a-z]+') as a, regexp_instr(s, 'l', 2) as b, regexp_instr(s, 'l', 1, 2) as c, regexp_instr(s, '([aeiou])', 1, 1, 1) as d from texts order by id
-- name: regexp_extract_null_before_checks
select regexp_extract('abc', 'a', 0, cast(null as int64)) as a, regexp_extract(cast(null as string), 'a', 0, 1) as b, regexp_extract('abc', cast(null as string), 1, 0) as c
-- name: regexp_extract_beyond_an_empty_text
select p, regexp_extract('', 'x*', p) as a, regexp_extract('', '', p, 1) as b, regexp_extract('a', '', p) as c from unnest([1, 2, 3]) as p
-- name: replacement_of_a_missing_group_in_null
select regexp_replace(x, r'[[:alpha:]]+', r'[\1]') as a, regexp_replace(cast(null as string), r'a', r'\2') as b from unnest([cast(null as string)]) as x
