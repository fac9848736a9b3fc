-- name: add_subtract_multiply
select id, i + j as a, i - j as b, i * j as c, f + g as d, f - g as e, f * g as h, i + f as m from numbers order by id
-- name: divide_gives_float
select id, i / j as a, f / j as b, 7 / 2 as c from numbers order by id
-- name: divide_by_zero
-- fails: division by zero
select f / g as a from numbers where id = 8
-- name: divide_whole_by_zero
-- fails: division by zero
select j / i as a from numbers where id = 1
-- name: negate
select id, -i as a, -f as b, - -i as c from numbers order by id
-- name: add_overflow
-- fails: beyond INT64
select i + 1 as a from extremes where id = 1
-- name: subtract_overflow
-- fails: beyond INT64
select i - 1 as a from extremes where id = 2
-- name: multiply_overflow
-- fails: beyond INT64
select i * 2 as a from extremes where id = 7
-- name: negate_overflow
-- fails: beyond INT64
select -i as a from extremes where id = 2
-- name: float_extremes
select id, f + 1 as a, f * 0.5 as b, -f as c, f = f as d, f > 0 as e, f is null as n from extremes order by id
-- name: float_overflow
-- fails: beyond FLOAT64
select f * 10 as a from extremes where id = 5
-- name: bit_operators
select id, i & j as a, i | j as b, i ^ j as c, ~i as d from numbers order by id
-- name: shift_left
select id, i << 3 as a, 1 << (id + 40) as b, i << 63 as c, 1 << 64 as d from numbers order by id
-- name: shift_right
select id, i >> 1 as a, -1 >> 60 as b, i >> 64 as c from numbers order by id
-- name: shift_by_negative
-- fails: a shift below zero
select i << j as a from numbers where id = 4
-- name: abs_and_sign
select id, abs(i) as a, abs(f) as b, sign(i) as c, sign(f) as d from numbers order by id
-- name: abs_overflow
-- fails: beyond INT64
select abs(i) as a from extremes where id = 2
-- name: sign_of_extremes
select id, sign(f) as a, sign(i) as b from extremes order by id
-- name: round_half_away
select id, round(f) as a, round(f, 1) as b, round(f, -2) as c, round(i) as d from numbers order by id
-- name: round_literals
select round(2.5) as a, round(-2.5) as b, round(0.5) as c, round(2.675, 2) as d, round(15, -1) as e, round(1.5, null) as f
-- name: trunc_to_digits
select id, trunc(f) as a, trunc(f, 1) as b, trunc(f, -2) as c from numbers order by id
-- name: floor_and_ceil
select id, floor(f) as a, ceil(f) as b, ceiling(f) as c, floor(i) as d from numbers order by id
-- name: rounding_of_extremes
select id, round(f) as a, trunc(f) as b, floor(f) as c, ceil(f) as d from extremes order by id
-- name: mod_keeps_the_sign
select id, mod(i, j) as a, mod(-i, j) as b from numbers order by id
-- name: mod_by_zero
-- fails: division by zero
select mod(j, i) as a from numbers where id = 1
-- name: div_truncates
select id, div(i, j) as a, div(-i, j) as b from numbers order by id
-- name: div_by_zero
-- fails: division by zero
select div(j, i) as a from numbers where id = 1
-- name: safe_divide_by_zero
select id, safe_divide(f, g) as a, safe_divide(i, i) as b, safe_divide(1, 0) as c from numbers order by id
-- name: ieee_divide_by_zero
select id, ieee_divide(f, g) as a, ieee_divide(-i, 0) as b from numbers order by id
-- name: safe_add_and_its_like
select id, safe_add(i, 1) as a, safe_subtract(i, 1) as b, safe_multiply(i, 2) as c, safe_negate(i) as d from extremes order by id
-- name: safe_float_arithmetic
select id, safe_add(f, f) as a, safe_subtract(f, 1e308) as b, safe_multiply(f, 10) as c, safe_negate(f) as d from extremes order by id
-- name: safe_prefix
select id, safe.div(j, i) as a, safe.mod(j, i) as b, safe.sqrt(f) as c, safe.ln(f) as d, safe.substr('abc', i) as e from numbers where id in (1, 2, 3, 5) order by id
-- name: sqrt_of_positive
select id, sqrt(abs(f)) as a, sqrt(i * i) as b from numbers where id <> 7 order by id
-- name: sqrt_of_negative
-- fails: below zero
select sqrt(i) as a from numbers where id = 3
-- name: pow_and_power
-- approximate: another mathematics library
select id, pow(g, 2) as a, power(abs(f), 0.5) as b, pow(2, j) as c, pow(i, 0) as d from numbers where id <> 10 order by id
-- name: pow_of_zero_by_negative
-- fails: division by zero
select pow(i, -1) as a from numbers where id = 1
-- name: exp_and_logarithms
-- approximate: another mathematics library
select id, exp(g) as a, ln(abs(f) + 1) as b, log(j + 10) as c, log(j + 10, 2) as d, log10(abs(f) + 1) as e from numbers order by id
-- name: exp_overflow
-- fails: beyond FLOAT64
select exp(i) as a from numbers where id = 10
-- name: ln_of_zero
-- fails: no logarithm
select ln(i) as a from numbers where id = 1
-- name: log_of_negative
-- fails: no logarithm
select log(i, 10) as a from numbers where id = 3
-- name: log10_of_extremes
-- approximate: another mathematics library
select id, log10(f) as a, ln(f) as b, exp(-abs(f)) as c from extremes where f > 0 or f is null or is_nan(f) order by id
-- name: is_nan_and_is_inf
select id, is_nan(f) as a, is_inf(f) as b, is_nan(f - f) as c from extremes order by id
-- name: trigonometry
-- approximate: another mathematics library
select id, sin(g) as a, cos(g) as b, tan(g) as c, atan(f) as d, atan2(f, g) as e from numbers order by id
-- name: inverse_trigonometry
-- approximate: another mathematics library
select id, asin(sin(g)) as a, acos(cos(g)) as b, asin(1.0) as c, acos(-1.0) as d from numbers order by id
-- name: asin_beyond_one
-- fails: beyond one
select asin(f) as a from numbers where id = 2
-- name: bit_count_of_bits
select id, bit_count(i) as a, bit_count(j) as b from numbers order by id
-- name: bit_count_of_extremes
select id, bit_count(i) as a from extremes order by id
-- name: greatest_and_least
select id, greatest(i, j) as a, least(i, j) as b, greatest(f, g, 1.0) as c, least(f, i) as d from numbers order by id
-- name: greatest_of_extremes
select id, greatest(f, 0.0) as a, least(f, 0.0) as b, greatest(i, 0, id) as c from extremes order by id
-- name: greatest_of_texts_and_times
select greatest('a', 'b', 'B') as a, least(date '2026-05-01', date '2025-05-01') as b, greatest(timestamp '2026-05-01 00:00:00+00', null) as c, least(true, false) as d
-- name: rand_is_in_range
-- by hand: it differs from call to call
-- rows: [[true, true]]
select min(r) >= 0 and max(r) < 1 as in_range, count(distinct r) > 1 as differs from (select rand() as r from numbers)
-- name: literal_numbers
select 0xff as a, 1e3 as b, .5 as c, 5. as d, 0X1F as e, -0x10 as f, 1E-2 as g, 9223372036854775807 as h, -9223372036854775808 as k
-- name: float_texts
select cast(1e15 as string) as a, cast(123456.789 as string) as b, cast(1e-7 as string) as c, cast(1e21 as string) as d, cast(0.1 as string) as e, cast(9.0 as string) as f, cast(-0.5 as string) as g
-- name: precedence_of_operators
select 1 + 2 * 3 - 4 as a, -2 * -3 as b, 1 | 2 & 3 as c, 1 << 2 + 1 as d, not false and false as e, 6 / 3 * 2 as f, 2 * (1 + 1) as g, 5 - 3 - 1 as h, 1 ^ 3 | 4 as k
-- name: sum_of_mixed_arithmetic
select sum(i * 1.0 / nullif(j, 0)) as a, avg(i + 0.5) as b from numbers where id <> 7
-- name: arithmetic_with_null
select i + cast(null as int64) as a, cast(null as float64) * f as b, safe_divide(i, null) as c, mod(i, cast(null as int64)) as d from numbers where id = 2
-- name: round_extremes_to_digits
select id, round(f, 2) as a, round(f, 400) as b, trunc(f, 2) as c, round(f, 0) as d from extremes order by id
-- name: round_nan_to_tens
select round(f, -2) as a, trunc(f, -1) as b, round(f, -id) as c from extremes where id = 3
-- name: smallest_hexadecimal_literal
select 0x7fffffffffffffff as a, -0x8000000000000000 as b, -0x1 as c
-- name: rounding_null_far_left_of_the_point
select round(x, n) as r, trunc(x, n) as t, is_nan(round(x, n)) as q from (select cast(null as float64) as x, -500 as n union all select 1.5, -500 union all select null, -308 union all select 2.5, 0) order by x, n
-- name: logarithms_of_what_is_not_finite
select log(2, x) as a, log(x, x) as b, ln(abs(x)) as c, log(abs(x), 2) as d, log(abs(x), 0.5) as e, log(abs(x), 1) as f, log10(x) as g, ln(x) as h, log(x) as i, log(x, -1) as j, log(-1, x) as k from unnest([cast('inf' as float64), cast('-inf' as float64), cast('nan' as float64), null]) as x with offset as o order by o
-- name: logarithm_to_base_one
-- fails: every power of 1 is 1
select log(2, 1) as a
-- name: logarithm_of_a_negative_number
-- fails: no power is negative
select log(-2.5) as a
-- name: arcs_of_what_is_not_finite
select asin(x) as a, acos(x) as b, atan(x) as c from unnest([cast('inf' as float64), cast('-inf' as float64), cast('nan' as float64), null]) as x with offset as o order by o
-- name: zeros_with_a_sign
select ieee_divide(1, x) as a, ieee_divide(1, -x) as b, ieee_divide(1, abs(x)) as c, ieee_divide(1, x + 0) as d, ieee_divide(1, x * 1) as e, ieee_divide(1, round(x, 1)) as f, ieee_divide(1, sqrt(x)) as g, ieee_divide(1, -0.0) as h, ieee_divide(1, 0.0) as i, x = 0 as j, cast(x as string) as k, to_json_string([x]) as l from unnest([-0.0, 0.0]) as x with offset as o order by o
-- name: groups_of_zeros
select count(*) as n, count(distinct x) as d from unnest([-0.0, 0.0, 0]) as x group by x
