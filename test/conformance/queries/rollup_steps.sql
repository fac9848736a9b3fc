-- name: rollup_of_several_columns_at_once
-- by hand: the evaluator does not implement ROLLUP: the sum of all, then of (a, b), then of (a, b, c)
-- rows: [[null, null, null, 15], [1, "x", null, 3], [1, "x", 7, 3], [1, "y", null, 4], [1, "y", 8, 4], [2, "x", null, 8], [2, "x", 9, 8]]
select a, b, c, sum(v) as s from unnest([struct(1 as a, 'x' as b, 7 as c, 3 as v), (1, 'y', 8, 4), (2, 'x', 9, 8)]) group by rollup((a, b), c) order by a, b, c
-- name: rollup_of_one_step_of_several_columns
-- by hand: the evaluator does not implement ROLLUP
-- rows: [[null, null, 15, 1, 1], [1, "x", 3, 0, 0], [1, "y", 4, 0, 0], [2, "x", 8, 0, 0]]
select a, b, sum(v) as s, grouping(a) as ga, grouping(b) as gb from unnest([struct(1 as a, 'x' as b, 3 as v), (1, 'y', 4), (2, 'x', 8)]) group by rollup((a, b)) order by a, b
-- name: rollup_of_a_column_and_several
-- by hand: the evaluator does not implement ROLLUP
-- rows: [[null, null, null, 15], [1, null, null, 7], [1, "x", 7, 3], [1, "y", 8, 4], [2, null, null, 8], [2, "x", 9, 8]]
select a, b, c, sum(v) as s from unnest([struct(1 as a, 'x' as b, 7 as c, 3 as v), (1, 'y', 8, 4), (2, 'x', 9, 8)]) group by rollup(a, (b, c)) order by a, b, c
