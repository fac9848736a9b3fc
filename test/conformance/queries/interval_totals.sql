-- name: sum_and_avg_of_intervals
select cast(sum(i) as string) as s, cast(avg(i) as string) as a, count(i) as n from unnest([interval 1 year, interval 1 month, interval 1 day, null, interval 1 hour, interval 1 second, null]) as i
-- name: sum_and_avg_of_no_intervals
select sum(i) is null as s, avg(i) is null as a from unnest([cast(null as interval), null]) as i
-- name: avg_of_intervals_of_both_signs
select cast(avg(i) as string) as a, cast(sum(i) as string) as s from unnest([interval -1 year, interval -5 day, interval -1 hour, interval -90 second, interval 7 month, interval 3 day]) as i
-- name: sum_of_intervals_beyond_the_range_on_the_way
select cast(sum(i) as string) as s, cast(avg(i) as string) as a from unnest([interval 10000 year, interval 10000 year, interval -120000 month, interval 3660000 day]) as i
-- name: sum_of_intervals_beyond_the_range
-- fails: the sum is longer than 10,000 years
select sum(i) as s from unnest([interval 10000 year, interval 1 month]) as i
-- name: sum_of_intervals_over_windows
select id, cast(sum(make_interval_of) over (order by id) as string) as s, cast(avg(make_interval_of) over (order by id rows 1 preceding) as string) as a from (select id, id * interval 90 minute as make_interval_of from people) order by id
-- name: sum_of_intervals_by_group
select mod(id, 2) as k, cast(sum(id * interval 1 day) as string) as s, cast(avg(datetime '2026-05-02 00:00:00' - datetime '2026-05-01 12:00:00') as string) as a from people group by k order by k
