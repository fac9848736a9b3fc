-- name: count_forms
select count(*) as a, count(i) as b, count(j) as c, count(distinct j) as d, count(1) as e, count(null) as f, count(distinct i + j) as g from numbers
-- name: countif_forms
select countif(i > 0) as a, countif(i is null) as b, countif(null) as c, countif(distinct i > 0) as d from numbers
-- name: sum_of_numbers
select sum(i) as a, sum(j) as b, sum(distinct j) as c, sum(if(i > 0, 1, 0)) as d from numbers where id <> 7
-- name: sum_of_floats
-- approximate: added in another order
select sum(f) as a, avg(g) as b, sum(distinct g) as c from numbers
-- name: sum_overflow
-- fails: beyond INT64
select sum(i) as a from extremes where id in (1, 5)
-- name: sum_passes_through_large_values
select sum(i) as a from extremes where id in (1, 2, 5)
-- name: sum_of_float_extremes
select sum(f) as a from extremes where id in (1, 5) union all select sum(f) from extremes where id in (1, 2) union all select sum(f) from extremes where id in (3, 5)
-- name: avg_of_whole_numbers
select avg(i) as a, avg(j) as b, avg(distinct j) as c, avg(cast(null as int64)) as d from numbers where id <> 7
-- name: avg_of_large_whole_numbers
-- approximate: a sum of 128 bits
select avg(i) as a from extremes where id in (1, 7)
-- name: min_and_max
select min(i) as a, max(i) as b, min(f) as c, max(f) as d, min(g > 1) as e, max(g > 1) as h from numbers
-- name: min_and_max_of_extremes
select min(f) as a, max(f) as b, min(i) as c, max(i) as d from extremes where id <> 3
-- name: min_and_max_with_nan
select is_nan(min(f)) as a, is_nan(max(f)) as b from extremes
-- name: min_and_max_of_bytes
select min(b) as a, max(b) as c from flags
-- name: any_value_of_equal_rows
select team, any_value(team) as a, any_value(1) as b from people group by team order by team
-- name: aggregates_over_no_rows
select count(*) as a, count(i) as b, sum(i) as c, avg(f) as d, min(i) as e, max(f) as g, array_agg(i) as h, string_agg(cast(i as string)) as k, countif(true) as l, logical_and(true) as m, bit_or(i) as n, any_value(i) as o from numbers where false
-- name: statistics_over_no_rows
select stddev(f) as a, stddev_pop(f) as b, variance(f) as c, var_pop(f) as d, corr(f, g) as e, covar_pop(f, g) as h, covar_samp(f, g) as k from numbers where false
-- name: aggregates_over_only_nulls
select count(i) as a, sum(i) as b, avg(i) as c, min(i) as d, string_agg(cast(i as string)) as e, array_length(array_agg(i)) as f, logical_or(i > 0) as g, bit_xor(i) as h from numbers where i is null
-- name: array_agg_orders
select array_agg(i order by i) as a, array_agg(i order by i desc) as b, array_agg(j order by j nulls last) as c, array_agg(i order by id limit 3) as d from numbers where i is not null and j is not null
-- name: array_agg_of_nulls
select array_agg(i ignore nulls order by id) as a, array_length(array_agg(i order by id)) as b, array_length(array_agg(i respect nulls)) as c from numbers
-- name: array_agg_distinct
select array_agg(distinct j ignore nulls order by j desc) as a, array_agg(distinct j ignore nulls order by j limit 2) as b from numbers
-- name: array_agg_of_structs
select array_agg(struct(id, name) order by score desc, id limit 2) as a from people where score is not null
-- name: array_agg_groups
select team, array_agg(name order by id) as names, array_agg(score ignore nulls order by score) as scores from people group by team order by team
-- name: array_concat_agg_of_lists
select array_concat_agg(a order by id) as x, array_concat_agg(s order by id desc limit 2) as y from lists where id <> 3
-- name: string_agg_forms
select string_agg(name order by name) as a, string_agg(name, ' | ' order by id desc) as b, string_agg(distinct team, '' order by team) as c, string_agg(name, ', ' order by score desc, id limit 3) as d from people
-- name: string_agg_of_bytes_and_empty_texts
select string_agg(s, '-' order by id) as a, string_agg(t, '' order by id) as b from texts where id in (1, 2, 4, 5, 15)
-- name: string_agg_groups
select team, string_agg(name, '+' order by name desc) as n from people group by team having count(*) > 1 order by team
-- name: logical_and_or
select logical_and(p) as a, logical_or(p) as b, logical_and(p or q) as c, logical_or(p and q) as d, logical_and(p is null) as e from flags
-- name: logical_by_group
select q, logical_and(p) as a, logical_or(p) as b, count(*) as n from flags group by q order by q
-- name: bit_aggregates
select bit_and(i) as a, bit_or(i) as b, bit_xor(i) as c, bit_xor(distinct j) as d, bit_and(j) as e from numbers where i is not null
-- name: stddev_and_variance
-- approximate: added in another order
select stddev(f) as a, stddev_samp(f) as b, stddev_pop(f) as c, variance(f) as d, var_samp(f) as e, var_pop(f) as g from numbers where id <> 6
-- name: variance_of_one_value
select stddev(f) as a, stddev_pop(f) as b, variance(f) as c, var_pop(f) as d, var_samp(f) as e from numbers where id = 2
-- name: variance_distinct
-- approximate: added in another order
select stddev(distinct j) as a, var_pop(distinct j) as b, variance(distinct g) as c from numbers
-- name: correlation
-- approximate: added in another order
select corr(f, g) as a, covar_pop(f, g) as b, covar_samp(f, g) as c from numbers where id <> 6
-- name: covariance_of_one_pair
select covar_pop(f, g) as a, covar_samp(f, g) as b from numbers where id = 2
-- name: variance_of_extremes
select stddev(f) as a, var_pop(f) as b from extremes where id in (1, 7)
-- name: max_by_and_min_by
-- reference: select any_value(name having max score) as a, any_value(name having min score) as b, any_value(joined having max id) as c from people
select max_by(name, score) as a, min_by(name, score) as b, max_by(joined, id) as c from people
-- name: max_by_in_groups
-- reference: select team, any_value(name having max joined) as a, any_value(name having min joined) as b from people where team is not null group by team order by team
select team, max_by(name, joined) as a, min_by(name, joined) as b from people where team is not null group by team order by team
-- name: approx_count_distinct_of_few
-- by hand: the evaluator has no approx_count_distinct; few values are counted exactly
-- rows: [[9, 7, 2, 0]]
select approx_count_distinct(i) as a, approx_count_distinct(name) as b, approx_count_distinct(score > 7) as c, approx_count_distinct(cast(null as string)) as d from numbers full join people using (id)
-- name: approx_quantiles_of_values
-- by hand: the evaluator has no approx_quantiles: ends and middle of 1, 7, 7, 8, 9.5 and 4.25
-- rows: [[[1, 7, 9.5], 3, true]]
select approx_quantiles(score, 2) as a, array_length(approx_quantiles(score, 2)) as b, approx_quantiles(score, 100)[offset(100)] = max(score) as c from people
-- name: approx_quantiles_of_types
-- by hand: the evaluator has no approx_quantiles
-- rows: [["Ada", "Gus", "2023-12-31", "2026-07-04", 1, 7]]
select approx_quantiles(name, 1)[offset(0)] as a, approx_quantiles(name, 1)[offset(1)] as b, approx_quantiles(joined, 4)[offset(0)] as c, approx_quantiles(joined, 4)[offset(4)] as d, approx_quantiles(id, 10)[ordinal(1)] as e, approx_quantiles(id, 10)[ordinal(11)] as f from people
-- name: any_value_having_max_and_min
select team, any_value(name having max id) as a, any_value(name having min id) as b, any_value(boss having max id) as c, any_value(id having max joined) is not null as d from people group by team
-- name: any_value_having_the_most_of_nested_values
select any_value(t.id having max s.origin_time) as a, any_value(r.path having min t.timestamp) as b from edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r cross join unnest(m.response) as s
-- name: approx_quantiles_with_what_is_no_number
-- by hand: the evaluator has no approx_quantiles; NaN, NaN, -inf, 1 and 3 in the order of GoogleSQL
-- rows: [["NaN", "NaN", "-Infinity", "NaN", 1, 3, ["NaN", "NaN", "-Infinity", 1, 3]]]
select approx_quantiles(x, 4)[offset(0)] as a, approx_quantiles(x, 4)[offset(1)] as b, approx_quantiles(x, 4)[offset(2)] as c, approx_quantiles(x, 3)[offset(1)] as d, approx_quantiles(x, 3)[offset(2)] as e, approx_quantiles(x, 4)[offset(4)] as f, approx_quantiles(x, 4) as g from unnest([1.0, cast('nan' as float64), null, cast('-inf' as float64), cast('nan' as float64), 3.0]) as x
-- name: approx_quantiles_with_nulls
-- by hand: the evaluator has no approx_quantiles; RESPECT NULLS puts NULL first
-- rows: [[null, 3, 9.5]]
select approx_quantiles(score, 1 respect nulls)[offset(0)] as a, array_length(approx_quantiles(distinct score, 2)) as b, approx_quantiles(score, 1)[safe_offset(1)] as c from people
-- name: approx_top_count_of_values
-- by hand: the evaluator has no approx_top_count
-- rows: [[[{"value": "red", "count": 3}, {"value": "blue", "count": 2}], 3]]
select approx_top_count(team, 2) as a, approx_top_count(team, 1)[offset(0)].count as b from people
-- name: aggregate_of_expression_of_aggregates
select sum(i) / count(i) = avg(i) as a, max(i) - min(i) as b, round(avg(f), 2) > 0 as c, count(*) * 2 as d from numbers where id <> 7
-- name: aggregate_filters_with_case
select team, sum(case when score > 5 then score end) as a, count(if(boss = 1, 1, null)) as b from people group by team order by team
-- name: aggregate_in_correlated_subquery
select id, (select max(v.ms) from visits v where v.person = p.id) as a, (select count(*) from people q where q.boss = p.id) as b from people p order by id
-- name: aggregate_of_outer_and_inner
select p.id, (select sum(v.ms + p.id) from visits v where v.person = p.id) as s from people p where p.id < 4 order by id
-- name: distinct_aggregates_together
select count(distinct team) as a, count(distinct boss) as b, string_agg(distinct team order by team) as c, sum(distinct boss) as d, count(distinct if(id > 3, team, null)) as e from people
-- name: array_agg_distinct_of_float_extremes
select array_agg(distinct f ignore nulls order by f) as a, array_agg(distinct f ignore nulls order by f desc limit 3) as b, array_agg(f ignore nulls order by f limit 2) as c from extremes
-- name: aggregates_ordered_by_constants
-- reference: select string_agg('l', '|') as a, array_agg(distinct concat('a', 'b')) as b, array_agg(1) as c from teams
select string_agg(format('l'), '|' order by format('l')) as a, array_agg(distinct concat('a', 'b') order by concat('a', 'b')) as b, array_agg(1 order by 1) as c from teams
-- name: correlation_of_one_pair
select corr(x, y) as a, covar_samp(x, y) as b, covar_pop(x, y) as c from (select 1.0 as x, 2.0 as y union all select null, 3)
-- name: running_correlation
-- approximate: added in another order
select x, corr(x, y) over (order by x) as c, covar_samp(x, y) over (order by x) as s from (select 1.0 as x, 2.0 as y union all select 2, 4 union all select 3, 5)
-- name: correlation_with_infinite_values
select corr(x, y) as a, covar_samp(x, y) as b, covar_pop(x, y) as c from (select cast('nan' as float64) as x, 2.0 as y union all select 1.0, 3 union all select cast('inf' as float64), null)
-- name: correlation_of_one_pair_that_is_no_number
select corr(f, f) as a, covar_pop(f, f) as b from extremes where id = 1
-- name: aggregates_of_no_values_by_limit
select array_agg(id limit 0) as a, array_agg(name ignore nulls order by name limit 0) as b, array_agg(distinct team order by team desc limit 0) as c, string_agg(name limit 0) as d, string_agg(name, '-' order by id limit 0) as e, array_concat_agg([id] order by id limit 0) as f, count(*) as n from people
-- name: aggregates_of_no_values_by_group
select team, array_agg(id limit 0) as a, string_agg(name order by id limit 0) as b from people group by team order by team
-- name: aggregates_of_no_values_by_limit_over_no_rows
select array_agg(id limit 2) as a, array_agg(id limit 0) as b, string_agg(name limit 2) as c from people where false
-- name: string_agg_with_null_between
-- fails: the delimiter is NULL
select string_agg(name, null) as a from people
-- name: string_agg_with_typed_null_between
-- fails: the delimiter is NULL
select string_agg(name, cast(null as string)) as a from people where false
-- name: string_agg_of_bytes_with_null_between
-- fails: the delimiter is NULL
select string_agg(b'b', cast(null as bytes)) as a from people
-- name: string_agg_of_bytes_by_limit
select string_agg(cast(name as bytes), b'-' order by id limit 0) as a, string_agg(cast(name as bytes), b'-' order by id limit 2) as b from people
-- name: most_frequent_of_nothing
-- by hand: the evaluator has no approximate functions; of no rows every aggregate but COUNT is NULL
-- rows: [[null]]
select approx_top_count(name, 3) as a from people where false
-- name: quantiles_of_bytes
-- by hand: the evaluator has no APPROX_QUANTILES
-- rows: [[["AA==", "Yg==", "/w=="], "Yg==", ["/w==", "/w=="]]]
select approx_quantiles(x, 2) as q, approx_quantiles(x, 2)[offset(1)] as m, (select approx_quantiles(y, 1) from unnest([b'\xff', null]) as y) as n from unnest([b'b', b'\x00', b'\xff', null]) as x
