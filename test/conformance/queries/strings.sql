-- name: formats_of_rows_for_whole_numbers
select f, i, format(f, i) as a from unnest(['%d', '%i', '%7d|', '%-7d|', '%07d', '%-07d|', '%+d', '% d', '%+ d', '% +7d', "%'d", "%'12d|", "%'012d", '%x', '%X', '%o', '%#x', '%#o', '%#.1o', '%#.3o', '%#.0o', '%#06o', '%#.0x', '%9x|', '%-9x|', '%09x', '%+x', '%.3d', '%8.3d|', '%t', '%T', '%8T|', '%%%d%%', 'é %d 😀']) as f cross join unnest([0, 7, -255, 1234567, 9223372036854775807, -9223372036854775808]) as i order by f, i
-- name: formats_of_rows_for_numbers
select f, x, format(f, x) as a from unnest(['%f', '%.0f', '%.2f', '%12.3f|', '%-12.3f|', '%012.3f', '%-012.1f|', '%+f', '% f', '%+ .1f', "%'.1f", '%#.0f', '%e', '%.0e', '%#.0e', '%.3E', '%g', '%.3g', '%#g', '%#.3G', '%G', '%.17g', '%F', '%12g|', '%t', '%T']) as f cross join unnest([0.0, -0.0, 0.5, 1.5, 2.5, -2.5, 0.1, 123456.789, 1234567.891, 99999.95, 0.0001, 0.00001234, 1e22, 1.7976931348623157e308, 5e-324]) as x with offset as o order by f, o
-- name: formats_of_rows_for_what_is_no_number
select f, x, format(f, x) as a from unnest(['%f', '%+f', '%8f|', '%08f|', '%-8f|', '%e', '%G', '%F', '%#g', '%t', '%T']) as f cross join unnest([cast('inf' as float64), cast('-inf' as float64), cast('nan' as float64)]) as x with offset as o order by f, o
-- name: formats_of_rows_for_texts
select f, s, format(f, s) as a from unnest(['%s', '%5s|', '%-5s|', '%05s|', '%.2s|', '%5.1s|', '%t', '%T', '%8T|', '%.3T', '[%s]']) as f cross join unnest(['', 'ab', 'é😀x', 'a"b', "it's", 'a\nb', 'longer than that', null]) as s with offset as o order by f, o
-- name: formats_of_rows_for_other_types
select f, format(f, d, [1, null], struct(1 as a, 'x' as b), true, json '{"a":[1,"x"]}') as a from unnest(['%t|%t|%t|%t|%t', '%T|%T|%T|%T|%p', '%12t|%-12t|%9T|%6t|%20p', '%.4t|%.2T|%t|%.1t|%.3p']) as f cross join unnest([date '2026-05-01']) as d order by f
-- name: formats_of_rows_for_nothing
select f, format(f, i) as a, format(f, cast(null as int64)) as b from unnest(['%d', '%t', '%5T|', '%%%d', null]) as f cross join unnest([5]) as i order by f
-- name: formats_of_rows_without_values
select f, format(f) as a from unnest(['', 'x', '100%%', '%%%%', null]) as f order by f
-- name: formats_with_stars_of_rows
select w, p, format('%*d|%-*d|%0*d', w, 42, w, -42, w, 42) as a, format('%*.*f|%.*f|%-*.*e', w, p, 2.5, p, 1.25, w, p, 12345.678) as b, format('%*s|%.*s|%*.*T', w, 'ab', p, 'abc', w, p, 'abc') as c, format('%*.*d|%.*x', w, p, 42, p, 42) as d from unnest([0, 1, 8, -8, null]) as w cross join unnest([0, 2, 5, -1, null]) as p order by w, p
-- name: formats_of_rows_with_stars
select f, format(f, 6, 13) as a from unnest(['%*d', '%-*d|', '%0*d', '%.*d', '%+*i', '%*x', '%d %d', '%t%T']) as f order by f
-- name: formats_of_rows_that_fail_safely
select f, safe.format(f, i) as a from unnest(['%d', '%s', '%f', '%q', '%', '%d %d', 'x', '%5', '%t', '%.', '%ld', '%p']) as f cross join unnest([5]) as i order by f
-- name: format_of_a_row_for_another_type
-- fails: a text where %d wants a number
select format(f, 'abc') as a from unnest(['%d']) as f
-- name: format_of_a_row_with_too_many_values
-- fails: two values for one specifier
select format(f, 17, 'abc') as a from unnest(['%d']) as f
-- name: format_of_a_row_with_too_few_values
-- fails: one value for two specifiers
select format(f, 17) as a from unnest(['%d %d']) as f
-- name: formats_with_flags_against_each_other
select i, format('%-07d|%+ d|% +d|%9x|%-9X|%+x|% o|%09o|%+9o', i, i, i, i, i, i, i, i, i) as a, format('%-010.2f|%+ .1f|%#.0f|%#.0e|%#g|%#.3g|%#G', x, x, x, x, x, x, x) as b from unnest([0, 5, -5, 1234567]) as i with offset as o join unnest([0.0, 2.5, -1e-7, 1e22]) as x with offset as p on o = p order by i
-- name: length_counts_characters
select id, length(s) as n from texts order by id
-- name: char_length_and_its_long_name
select id, char_length(s) as n, character_length(t) as m from texts order by id
-- name: byte_length_counts_utf8
select id, byte_length(s) as n, octet_length(s) as m from texts order by id
-- name: length_of_bytes
select id, length(b) as n, byte_length(b) as m, octet_length(b) as o from flags order by id
-- name: lower_and_upper
select id, lower(s) as low, upper(s) as up from texts where id <> 13 order by id
-- name: lower_of_accented_capitals
select id, lower(s) as low from texts where id in (6, 13) order by id
-- name: upper_of_accents
select id, upper(s) as up from texts where id in (6, 7) order by id
-- name: initcap_words
select id, initcap(s) as c from texts where id in (1, 2, 3, 4, 9, 10, 12) order by id
-- name: initcap_with_delimiters
select initcap('one_two three-four', '_') as a, initcap('one_two three-four', ' -') as b, initcap('ONE tWO', '') as c
-- name: normalize_composes
select id, length(normalize(s)) as n, normalize(s) = s as same from texts order by id
-- name: normalize_of_forms
select length(normalize('e\u0301')) as nfc, normalize(cast(null as string)) is null as nul
-- name: trim_spaces
select id, trim(s) as b, ltrim(s) as l, rtrim(s) as r from texts order by id
-- name: trim_given_characters
select id, trim(s, 'ahe ') as b, ltrim(s, 'ah%') as l, rtrim(s, 'od%') as r from texts order by id
-- name: trim_set_with_null
select trim('xaxbx', 'x') as a, trim(cast(null as string), 'x') as b, trim('abc', cast(null as string)) as c, trim('😀a😀', '😀') as d
-- name: trim_removes_all_white_space
select length(trim('\n\t a \r\n')) as n, length(ltrim('\u00a0a')) as nbsp, length(rtrim('a\u3000')) as wide
-- name: substr_from
select id, substr(s, 2) as a, substr(s, -3) as b, substr(s, 0) as c, substr(s, 100) as d, substr(s, -100) as e from texts order by id
-- name: substr_from_with_length
select id, substr(s, 1, 3) as a, substr(s, -4, 2) as b, substr(s, 0, 2) as c, substr(s, 3, 0) as d from texts order by id
-- name: substring_is_substr
select id, substring(s, 2, 2) as a from texts order by id
-- name: substr_of_null_positions
select substr('abc', cast(null as int64)) as a, substr('abc', 1, cast(null as int64)) as b
-- name: substr_negative_length
-- fails: a length below zero
select substr(s, 1, -1) as a from texts where id = 1
-- name: left_and_right
select id, left(s, 2) as l, right(s, 2) as r, left(s, 0) as l0, right(s, 100) as r100 from texts order by id
-- name: left_negative
-- fails: a length below zero
select left(s, -1) as l from texts where id = 1
-- name: replace_every_occurrence
select id, replace(s, t, '<>') as r from texts order by id
-- name: replace_empty_pattern_and_nulls
select replace('abc', '', 'x') as a, replace('aaaa', 'aa', 'a') as b, replace(cast(null as string), 'a', 'b') as c, replace('abc', 'b', cast(null as string)) as d
-- name: split_by_column
select id, split(s, t) as parts from texts order by id
-- name: split_by_comma_and_characters
select id, split(s) as commas, split(s, '') as characters from texts where id in (1, 2, 4, 7, 8, 10) order by id
-- name: strpos_of_column
select id, strpos(s, t) as p, strpos(s, '') as e from texts order by id
-- name: instr_forwards
select id, instr(s, t) as a, instr(s, t, 2) as b, instr(s, t, 1, 2) as c from texts order by id
-- name: instr_backwards
select id, instr(s, t, -1) as a, instr(s, 'l', -2, 1) as b from texts order by id
-- name: starts_and_ends
select id, starts_with(s, left(s, 2)) as a, starts_with(s, 'h') as b, ends_with(s, t) as c, ends_with(s, '') as d from texts order by id
-- name: contains_substr_without_case
-- by hand: the evaluator has no contains_substr
-- rows: [[1, true, false], [2, false, false], [3, true, true], [4, null, null], [5, false, false], [10, false, false], [15, false, false]]
select id, contains_substr(s, 'HELLO') as a, contains_substr(s, 'wOrLd') as b from texts where id in (1, 2, 3, 4, 5, 10, 15) order by id
-- name: reverse_characters
select id, reverse(s) as r from texts where id not in (7, 8) order by id
-- name: reverse_astral
select reverse('a😀b') as a, reverse('') as b, reverse(cast(null as string)) as c
-- name: repeat_times
select id, repeat(s, 2) as a, repeat(s, 0) as b, repeat('', id) as c from texts order by id
-- name: repeat_nulls
select repeat(cast(null as string), 2) as a, repeat('a', cast(null as int64)) as b
-- name: repeat_negative
-- fails: a count below zero
select repeat(s, -1) as a from texts where id = 1
-- name: lpad_and_rpad_with_spaces
select id, lpad(s, 7) as l, rpad(s, 7) as r from texts order by id
-- name: lpad_and_rpad_with_pattern
select id, lpad(s, 9, 'xy') as l, rpad(s, 9, 'é😀') as r from texts order by id
-- name: lpad_cuts
select lpad('hello', 3) as a, rpad('hello', 3, '*') as b, lpad('hello', 0) as c, lpad('', 2, 'ab') as d
-- name: lpad_empty_pattern
-- fails: an empty pattern
select lpad(s, 9, '') as a from texts where id = 1
-- name: concat_texts
select id, concat(s, '|', t) as a, concat(s) as b, s || t as c from texts order by id
-- name: concat_bytes
select id, concat(b, b'-', b) as a, b || b as c from flags order by id
-- name: to_hex_and_back
select id, to_hex(b) as h, from_hex(to_hex(b)) = b as same from flags order by id
-- name: from_hex_forms
select from_hex('00fF') as a, from_hex('abc') as b, from_hex('') as c, from_hex(cast(null as string)) as d
-- name: from_hex_of_other_text
-- fails: no hexadecimal digits
select from_hex('xyz') as a
-- name: to_base64_and_back
select id, to_base64(b) as h, from_base64(to_base64(b)) = b as same from flags order by id
-- name: from_base64_forms
select from_base64('/+A=') as a, from_base64('YWI=') as b, from_base64('') as c, from_base64(cast(null as string)) as d
-- name: from_base64_of_other_text
-- fails: no base64
select from_base64('*') as a
-- name: ascii_of_first
select ascii('abc') as a, ascii('') as b, ascii('~') as c, ascii(cast(null as string)) as d
-- name: ascii_of_accent
-- fails: beyond ASCII
select ascii(s) as a from texts where id = 13
-- name: unicode_of_first
select id, unicode(s) as u from texts order by id
-- name: chr_of_numbers
select chr(65) as a, chr(255) as b, chr(128512) as c, chr(0) = '\x00' as d, chr(cast(null as int64)) as e
-- name: chr_of_surrogate
-- fails: no character
select chr(55296) as a
-- name: format_whole_numbers
select id, format('%d|%5d|%-5d|%05d|%+d|%x|%X|%o', i, i, i, i, i, j, j, j) as f from numbers where j >= 0 order by id
-- name: format_floats
select id, format('%f|%.2f|%e|%g|%10.1f', f, f, f, f, f) as a from numbers order by id
-- name: format_text
select id, format('%s|%10s|%-10s|%.3s|%t|%T', s, s, s, s, s, s) as a from texts where id in (1, 2, 4, 5, 6, 11, 14) order by id
-- name: format_values
select format('%t %T', date '2026-05-01', date '2026-05-01') as d, format('%t', timestamp '2026-05-01 10:00:00.5+00') as ts, format('%t %T', true, 1.0) as b, format('%t', [1, 2]) as a, format('100%%') as p
-- name: format_large_floats
select f, format('%f|%.3f|%+.0f|%#.0f|% f|%35.1f|%-35.1f|%035.1f', f, f, f, f, f, f, f, f) as a, format("%'f|%'.1f", f, f) as b from unnest([1e300, -1e300, 1.7976931348623157e308, 9007199254740991.0, 9007199254740993.0, -123456789012345678.0, 1e22, 4503599627370497.5]) as f
-- name: format_what_is_no_number
select format('%08f|%08.2f|%-8f|%+08f', f, f, f, f) as a from unnest([cast('inf' as float64), cast('-inf' as float64), cast('nan' as float64), 1.5]) as f
-- name: format_the_least_whole_number
select format('%x|%o|%X', i, i, i) as a, format("%'x|%'o|%'X|%'10x|", i, i, i, i) as b from unnest([-9223372036854775808, 9223372036854775807, 0, 1234567, -65536]) as i
-- name: format_nulls_of_every_type
select format('%T %t', [1.0, 2.5, null], cast(null as float64)) as a, format('%T', [cast('nan' as float64), null]) as b, format('%d', null) as c, format('%t', null) as d
-- name: format_groups_digits
select format("%'d", 1234567) as a, format("%'.2f", 1234567.891) as b, format('%d', cast(null as int64)) as c, format('%i', 5) as i
-- name: format_too_few
select format('%s-%s', 'a', 'b') as a, format('%5t|', 'x') as b, format('%%%d%%', 7) as c
-- name: normalized_comparison_is_by_code_point
select 'a' < 'B' as a, 'é' = 'e\u0301' as b, 'Z' < 'a' as c, '' < 'a' as d, 'a' < 'a ' as e, '😀' > '\uffee' as f
-- name: order_of_texts
select s from texts order by s
-- name: min_and_max_of_texts
select min(s) as a, max(s) as b, min(t) as c from texts
-- name: escapes_in_literals
select 'tab\there' as a, 'quote\'s' as b, "double\"s" as c, 'back\\slash' as d, '\x41\u00e9\U0001F600\101' as e, 'a\nb' as f, '\a\b\f\v\r' as g, '\?\`' as h
-- name: raw_and_triple_literals
select r'\d+\n' as a, '''it's
two lines''' as b, """say "hi" """ as c, r'''a\'b''' as d, R"x\y" as e
-- name: bytes_literals
select b'a\x00\xff' as a, rb'\x41' as b, br"\n" as c, b"""x"y""" as d, B'' as e
-- name: concatenation_of_null
select concat("a", cast(null as string), "b") as a, "a" || cast(null as string) as b
-- name: nested_string_functions
select id, upper(left(trim(s), 1)) || lower(substr(trim(s), 2)) as a, array_length(split(trim(s), ' ')) as n from texts where id in (1, 2, 3, 4, 5, 9) order by id
-- name: normalize_forms
select length(normalize('e\u0301ﬁ①')) as a, length(normalize('é', nfd)) as b, normalize('ﬁ①', nfkc) as c, length(normalize('ﬁé', nfkd)) as d
-- name: functions_of_concatenations_with_null
select length(concat(b, cast(null as bytes))) as a, octet_length(b || cast(null as bytes)) as b, to_hex(concat(b, cast(null as bytes))) as c, length(cast(b as string) || cast(null as string)) as d, upper(concat('a', cast(null as string))) as e, reverse(concat(cast(null as string), 'b')) as f from flags where id = 1
-- name: functions_of_joined_arrays_with_null
select array_length([1] || cast(null as array<int64>)) as a, array_length(array_concat(cast(null as array<string>), ['x'])) as b, (a || cast(null as array<int64>))[safe_offset(0)] as c from lists where id = 1
-- name: repeat_null_times
select id, repeat('', nullif(id, 1)) as a, repeat(nullif(s, 'abc'), 0) as b, repeat(s, nullif(id, 3)) as c from texts where id < 6 order by id
-- name: instr_of_empty_text
select id, instr(s, '', 10) as a, instr(s, '', length(s) + 1) as b, instr(s, '', -1) as c, instr(s, '', -3, 2) as d, instr(s, '', 1, id) as e, instr(s, '', -100) as f from texts order by id
-- name: instr_backwards_overlapping
select instr('abca', 'a', -4) as a, instr('abca', 'a', -5) as b, instr('banana', 'an', -2) as c, instr('banana', 'ana', -3, 1) as d, instr('banana', 'an', -4) as e, instr('', '', 1) as f, instr('', '', 2) as g
-- name: letters_that_become_several
select upper('ﬁ ŉ') as a, lower('ΑΣ İ') as b
-- name: translate_characters
select translate(s, 'el/', 'ip') as a, translate(s, t, 'xyz') as b, translate('héllo😀', 'é😀', 'e') as c, translate(s, '', 'x') as d from texts where t is null or length(t) < 2
-- name: translate_a_character_twice
-- fails: a character that stands twice
select translate(s, 'll', 'xy') as a from texts
-- name: initcap_of_letters_without_a_capital
select initcap('ß') as a, initcap('ßß aßb ŉa') as b, initcap('ßa-ßb', '-') as c, initcap('ßa', '') as d
-- name: parts_of_bytes
select i, b, substr(b, i) as a, substr(b, i, 2) as c, substring(b, i, 0) as d, left(b, abs(i)) as e, right(b, abs(i)) as f, to_hex(left(sha256(b), 4)) as g from unnest([0, 1, 2, 3, 4, 5, -1, -2, -3, -4, -9223372036854775807, 9223372036854775807]) as i, unnest([b'abc', b'', cast(null as bytes), b'\xff\x00\x01\x02']) as b
-- name: parts_of_bytes_of_negative_length
-- fails: a length below zero
select left(b, -1) as a from flags
-- name: code_points_of_texts
select id, to_code_points(s) as a, code_points_to_string(to_code_points(s)) as b, safe_convert_bytes_to_string(cast(s as bytes)) as c from texts order by id
-- name: code_points_of_bytes
select id, to_code_points(b) as x, code_points_to_bytes(to_code_points(b)) as y, safe_convert_bytes_to_string(b) as z from flags order by id
-- name: code_points_at_the_edges
select code_points_to_string([0, 55295, 57344, 1114111]) as a, code_points_to_string([65, null]) as b, code_points_to_string(array<int64>[]) as c, code_points_to_string([-1, null]) as d, code_points_to_bytes([0, 255]) as e, code_points_to_bytes([256, null]) as f, code_points_to_bytes(array<int64>[]) as g, to_code_points('') as h, to_code_points(b'') as i, safe.code_points_to_string([55296]) as j, safe.code_points_to_bytes([-1]) as k
-- name: code_point_of_half_a_character
-- fails: no character
select code_points_to_string([65, 55296]) as a
-- name: code_point_beyond_a_byte
-- fails: no byte
select code_points_to_bytes([256]) as a
-- name: bytes_that_are_no_text
select safe_convert_bytes_to_string(b'a\xffb') as a, safe_convert_bytes_to_string(b'\xe2\x82') as b, safe_convert_bytes_to_string(b'\xe2\x82a') as c, safe_convert_bytes_to_string(b'\xf0\x9f\x98') as d, safe_convert_bytes_to_string(b'\xed\xa0\x80') as e, safe_convert_bytes_to_string(b'\xc0\x80') as f, safe_convert_bytes_to_string(b'\xf4\x90\x80\x80') as g, safe_convert_bytes_to_string(b'\xf0\x90\x28\xbc\xf4\x8f\xbf\xbf') as h, safe_convert_bytes_to_string(b'a\x00\xc3\xa9\xf0\x9f\x98\x80') as i, safe_convert_bytes_to_string(b'') as j
-- name: addresses_as_text
select a, net.ip_to_string(net.ip_from_string(a)) as b from unnest(['192.0.2.1', '0.0.0.0', '2001:db8::1', '::', '::1', '::ffff:1.2.3.4', '::1.2.3.4', '1:0:0:2:0:0:0:3', '1:0:2:0:3:0:4:0', '1:0:0:2:3:0:0:4', '1::', '64:ff9b::1.2.3.4', '::ffff:0:2', '::fffe:1:2', '0:0:0:0:0:1:0:0', '::abcd', '::1:0', '2001:DB8:0:0:8:800:200C:417A', null]) as a order by 1
-- name: address_of_three_bytes
-- fails: no address
select net.ip_to_string(b'abc') as a
-- name: networks_of_addresses
select n, safe.net.ip_trunc(net.ip_from_string('192.168.253.77'), n) as a, safe.net.ip_trunc(net.ip_from_string('2001:db8:ffff:ffff::1'), n) as b from unnest([-1, 0, 1, 4, 7, 8, 22, 31, 32, 33, 47, 127, 128, 129, null]) as n order by 1
-- name: network_of_too_many_bits
-- fails: 33 bits of 32
select net.ip_trunc(b'\xff\xff\xff\xff', 33) as a
-- name: network_of_nothing
select net.ip_trunc(cast(null as bytes), 300) as a, net.ip_trunc(b'abc', cast(null as int64)) as b, net.ip_to_string(cast(null as bytes)) as c
-- name: format_with_digits_at_least
select id, format('%.3d|%6.3d|%-8.3d|%+.3d|% .3i', i, i, i, i, i) as a, format('%.5x|%#.5X|%.4o|%#x|%08.5x', i, i, i, i, i) as b from extremes order by id
-- name: format_with_digits_of_nothing
select format('%.0d|%.d|%3.0d|%.0x|%.o|%#x', 0, 0, 0, 0, 0, 0) as a, format('%.f|%.e|%.g|%.s', 1.5, 1.5, 1.5, 'abc') as b, format('%.3d', cast(null as int64)) as c
-- name: format_with_stars
select id, format('%*d|%-*d|%0*d', 8, i, 8, i, 8, i) as a, format('%*d|%0*d', -8, i, -8, i) as b, format('%.*d|%.*d', 5, i, -5, i) as c from numbers order by id
-- name: format_with_stars_of_other_values
select format('%*.*f|%.*f|%.*e', 8, 2, 3.14159, -2, 3.14159, 1, 12345.678) as a, format('%*s|%*s|%.*s|%-*.*s|', 5, 'ab', -5, 'ab', 1, 'ab', 5, 2, 'abcdef') as b, format('%*t|%.*T', 12, date '2026-05-01', 3, 'abcdef') as c, format('%*d', cast(null as int64), 42) as d, format('%.*f', cast(null as int64), 1.0) as e
-- name: format_of_zeros_with_a_sign
select format('%f|%e|%g|%.2f|%+f|% f|%10f|%-10f|%010f', x, x, x, x, x, x, x, x, x) as a, format('%t|%T', x, x) as b from unnest([-0.0, 0.0, -0.0001]) as x with offset as o order by o
-- name: formats_of_constant_texts
select format(concat('%d', ' ', '%s'), 1, 'a') as a, format('%' || 'd', 2) as b, format(concat(cast(null as string), 'x'), 1) as c, format(format(null, 1), 2) as d
