-- name: concat_of_numbers_and_truth
select concat('n', id, ':', score, id > 3) as a, concat(id) as b, concat(id, -id) as c, concat(1.5, 1e55, -8765432.25) as d from people order by id
-- name: concat_of_times
select concat(timestamp '2026-05-01 10:20:30.5+00', '|', date '2026-05-01', '|', datetime '2026-05-01 10:20:30', '|', time '10:20:30.25') as a, concat(date '0001-01-01') as b
-- name: concat_of_a_null_beside_numbers
select concat('A', cast(null as int64), 'C') as a, concat(1, null) as b, concat(cast(null as date)) as c
-- name: the_operator_joins_numbers
-- reference: select '12' as a, concat('abc', 2) as b, concat(date '2000-01-01', ' ', 1 > 0, 123, ',', 0.5) as c, concat('a', cast(null as int64)) as d
select 1 || 2 as a, 'abc' || 2 as b, date '2000-01-01' || ' ' || (1 > 0) || 123 || ',' || 0.5 as c, 'a' || cast(null as int64) as d
