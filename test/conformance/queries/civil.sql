-- name: date_of_types
select id, date(ts) as a, date(dt) as b, date(d) as c, date(ts, 'Asia/Tokyo') as e, date(ts, 'America/Los_Angeles') as f from times where id <> 9 order by id
-- name: date_of_parts_and_text
select date(2026, 5, 1) as a, date(2024, 2, 29) as b, date('2026-05-01') as c, date(timestamp '2026-05-01 23:30:00+00', '+02:00') as d
-- name: date_of_wrong_parts
-- fails: no such day
select date(2026, 2, id + 28) as a from numbers where id = 1
-- name: datetime_of_types
select id, datetime(ts) as a, datetime(dt) as b, datetime(d) as c, datetime(d, t) as e, datetime(ts, 'Europe/Berlin') as f from times where id <> 9 order by id
-- name: datetime_of_parts_and_text
select datetime(2026, 5, 1, 10, 20, 30) as a, datetime('2026-05-01 10:20:30.5') as b, datetime('2026-05-01') as c, datetime(timestamp '2026-07-01 00:00:00+00', 'America/New_York') as d
-- name: datetime_of_wrong_parts
-- fails: no such hour
select datetime(2026, 5, 1, id + 24, 0, 0) as a from numbers where id = 1
-- name: time_of_types
select id, time(ts) as a, time(dt) as b, time(t) as c, time(ts, 'Asia/Kolkata') as e from times where id <> 9 order by id
-- name: time_of_parts_and_text
select time(10, 20, 30) as a, time(datetime '2026-05-01 10:20:30.5') as b, time(0, 0, 0) as c, time(timestamp '2026-05-01 23:30:00+00', '+02:00') as d
-- name: date_add_each_part
select id, date_add(d, interval 1 day) as a, date_add(d, interval 2 week) as b, date_add(d, interval 1 month) as c, date_add(d, interval 1 quarter) as e, date_add(d, interval 1 year) as f, date_add(d, interval -13 month) as g from times order by id
-- name: date_add_clips_to_the_month
select date_add(date '2026-01-31', interval 1 month) as a, date_add(date '2024-01-31', interval 1 month) as b, date_sub(date '2026-03-31', interval 1 month) as c, date_add(date '2024-02-29', interval 1 year) as d, date_sub(date '2026-05-31', interval 1 quarter) as e
-- name: date_sub_each_part
select id, date_sub(d, interval 1 day) as a, date_sub(d, interval 1 week) as b, date_sub(d, interval 3 month) as c, date_sub(d, interval 4 year) as e from times order by id
-- name: date_add_beyond_the_end
-- fails: beyond the year 9999
select date_add(d, interval 1 day) as a from bounds where id = 2
-- name: date_plus_days
select id, d + 1 as a, d - 30 as b, 7 + d as c, d + interval 1 day as e from times order by id
-- name: date_minus_date
select id, cast(d - date '2026-01-01' as string) as a from times where id <> 4 order by id
-- name: datetime_add_each_part
select id, datetime_add(dt, interval 1 hour) as a, datetime_add(dt, interval 1 month) as b, datetime_add(dt, interval 1 year) as c, datetime_add(dt, interval 1 microsecond) as e, datetime_add(dt, interval 3 week) as f, datetime_add(dt, interval -1 quarter) as g from times order by id
-- name: datetime_sub_each_part
select id, datetime_sub(dt, interval 90 minute) as a, datetime_sub(dt, interval 1 day) as b, datetime_sub(dt, interval 1 millisecond) as c, datetime_sub(dt, interval 1 month) as e from times order by id
-- name: datetime_plus_interval
select id, dt + interval 1 month as a, dt - interval 1 day as b, cast(dt - datetime '2026-01-01 00:00:00' as string) as c from times where id <> 4 order by id
-- name: time_add_wraps_around
select id, time_add(t, interval 2 hour) as a, time_add(t, interval 90 second) as b, time_sub(t, interval 1 minute) as c, time_sub(t, interval 1 microsecond) as e, time_add(t, interval 25 hour) as f from times order by id
-- name: date_diff_each_part
select id, date_diff(d, date '2026-04-30', day) as a, date_diff(d, date '2026-04-30', week) as b, date_diff(d, date '2026-04-30', isoweek) as c, date_diff(d, date '2026-04-30', month) as e, date_diff(d, date '2026-04-30', quarter) as f, date_diff(d, date '2026-04-30', year) as g, date_diff(d, date '2026-04-30', isoyear) as h from times order by id
-- name: date_diff_weeks
select id, date_diff(d, date '2026-04-30', week(monday)) as a, date_diff(d, date '2026-04-30', week(saturday)) as b, date_diff(d, date '2026-05-03', week(sunday)) as c from times order by id
-- name: date_diff_counts_borders
select date_diff(date '2026-05-03', date '2026-05-02', week) as a, date_diff(date '2026-05-04', date '2026-05-03', week) as b, date_diff(date '2026-01-01', date '2025-12-31', year) as c, date_diff(date '2026-01-01', date '2025-12-31', month) as d, date_diff(date '2025-12-31', date '2026-01-01', quarter) as e
-- name: datetime_diff_each_part
select id, datetime_diff(dt, datetime '2026-04-30 12:00:00', day) as a, datetime_diff(dt, datetime '2026-04-30 12:00:00', hour) as b, datetime_diff(dt, datetime '2026-04-30 12:00:00', week) as c, datetime_diff(dt, datetime '2026-04-30 12:00:00', month) as e, datetime_diff(dt, datetime '2026-04-30 12:00:00', second) as f, datetime_diff(dt, datetime '2026-04-30 12:00:00', microsecond) as g from times order by id
-- name: datetime_diff_large_parts
select id, datetime_diff(dt, datetime '2020-02-29 23:59:59', year) as a, datetime_diff(dt, datetime '2020-02-29 23:59:59', quarter) as b, datetime_diff(dt, datetime '2020-02-29 23:59:59', isoyear) as c, datetime_diff(dt, datetime '2020-02-29 23:59:59', isoweek) as e, datetime_diff(dt, datetime '2020-02-29 23:59:59', minute) as f, datetime_diff(dt, datetime '2020-02-29 23:59:59', millisecond) as g from times order by id
-- name: time_diff_each_part
select id, time_diff(t, time '12:00:00', hour) as a, time_diff(t, time '12:00:00', minute) as b, time_diff(t, time '12:00:00', second) as c, time_diff(t, time '12:00:00', millisecond) as e, time_diff(t, time '12:00:00', microsecond) as f from times order by id
-- name: date_trunc_each_part
select id, date_trunc(d, day) as a, date_trunc(d, week) as b, date_trunc(d, isoweek) as c, date_trunc(d, month) as e, date_trunc(d, quarter) as f, date_trunc(d, year) as g, date_trunc(d, isoyear) as h from times order by id
-- name: date_trunc_weeks
select id, date_trunc(d, week(monday)) as a, date_trunc(d, week(wednesday)) as b, date_trunc(d, week(saturday)) as c from times order by id
-- name: datetime_trunc_each_part
select id, datetime_trunc(dt, second) as a, datetime_trunc(dt, minute) as b, datetime_trunc(dt, hour) as c, datetime_trunc(dt, day) as e, datetime_trunc(dt, week) as f, datetime_trunc(dt, week(friday)) as g, datetime_trunc(dt, month) as h, datetime_trunc(dt, millisecond) as k from times order by id
-- name: datetime_trunc_large_parts
select id, datetime_trunc(dt, quarter) as a, datetime_trunc(dt, year) as b, datetime_trunc(dt, isoyear) as c, datetime_trunc(dt, isoweek) as e from times order by id
-- name: time_trunc_each_part
select id, time_trunc(t, hour) as a, time_trunc(t, minute) as b, time_trunc(t, second) as c, time_trunc(t, millisecond) as e, time_trunc(t, microsecond) as f from times order by id
-- name: trunc_of_bounds
select id, date_trunc(d, month) as a, date_trunc(d, year) as b, datetime_trunc(dt, day) as c from bounds order by id
-- name: last_day_of_parts
select id, last_day(d) as a, last_day(d, month) as b, last_day(d, quarter) as c, last_day(d, year) as e, last_day(d, week) as f, last_day(d, isoweek) as g, last_day(d, isoyear) as h, last_day(dt) as k from times order by id
-- name: last_day_of_week_parts
select id, last_day(d, week(monday)) as a, last_day(d, week(saturday)) as b, last_day(dt, quarter) as c from times order by id
-- name: format_date_elements
select id, format_date('%A, %d %B %Y', d) as a, format_date('%b %e %y', d) as b, format_date('%j|%U|%W|%V|%G|%u|%w', d) as c, format_date('%Q %F %D', d) as e, format_date('%Y-%m', dt) as f from times order by id
-- name: format_datetime_elements
select id, format_datetime('%F %T', dt) as a, format_datetime('%c', dt) as b, format_datetime('%E*S|%E3S|%S', dt) as c, format_datetime('%I %p %l %k', dt) as e, format_datetime('%x %X %R', dt) as f from times order by id
-- name: format_time_elements
select id, format_time('%H:%M:%S', t) as a, format_time('%T', t) as b, format_time('%R', t) as c, format_time('%I:%M:%S %p', t) as e, format_time('%E*S %E3S', t) as f, format_time('%X', t) as g from times order by id
-- name: parse_date_elements
select parse_date('%Y-%m-%d', '2026-05-01') as a, parse_date('%F', '2024-02-29') as b, parse_date('%d %B %Y', '1 May 2026') as c, parse_date('%m/%d/%y', '05/01/26') as d, parse_date('%Y%m%d', '20260501') as e, parse_date('%b %e %Y', 'May  1 2026') as f, parse_date('%Y', '2026') as g
-- name: parse_date_by_weeks
select parse_date('%Y %j', '2026 121') as a, parse_date('%Y-%m', '2026-05') as b, parse_date('%A, %d %b %Y', 'Friday, 01 May 2026') as c
-- name: parse_date_of_wrong_day
-- fails: no such day
select parse_date('%F', concat('2026-02-3', cast(id as string))) as a from numbers where id = 1
-- name: parse_datetime_elements
select parse_datetime('%F %T', '2026-05-01 10:20:30') as a, parse_datetime('%Y-%m-%dT%H:%M:%E*S', '2026-05-01T10:20:30.5') as b, parse_datetime('%d/%m/%Y %I:%M %p', '01/05/2026 12:30 AM') as c, parse_datetime('%c', 'Fri May  1 10:20:30 2026') as d
-- name: parse_time_elements
select parse_time('%H:%M:%S', '10:20:30') as a, parse_time('%T', '23:59:59') as b, parse_time('%I:%M %p', '12:05 AM') as c, parse_time('%H', '7') as d, parse_time('%E*S', '5.25') as e
-- name: parse_time_of_wrong_hour
-- fails: no such hour
select parse_time('%H', cast(id + 23 as string)) as a from numbers where id = 1
-- name: generate_date_array_steps
select generate_date_array(date '2026-05-01', date '2026-05-04') as a, generate_date_array(date '2026-01-31', date '2026-06-01', interval 1 month) as b, generate_date_array(date '2026-05-10', date '2026-05-01', interval -3 day) as c, generate_date_array(date '2026-05-02', date '2026-05-01') as d, generate_date_array(date '2026-01-01', date '2026-03-01', interval 2 week) as e
-- name: intervals_of_parts
select cast(interval 3 year as string) as a, cast(interval 5 quarter as string) as b, cast(interval 10 day as string) as c, cast(interval 90 minute as string) as d, cast(interval -1 second as string) as e, cast(interval 2 week as string) as f
-- name: interval_arithmetic
select cast(interval 1 day + interval 2 hour as string) as a, cast(interval 1 month - interval 3 day as string) as b, cast(-(interval 5 minute) as string) as c, cast(interval 1 hour * 3 as string) as d, cast(3 * interval 1 day as string) as e, cast(interval 3 hour / 2 as string) as f
-- name: interval_comparisons
select interval 1 day = interval 24 hour as a, interval 1 month > interval 29 day as b, interval 1 month = interval 30 day as c, interval 1 hour < interval 61 minute as d
-- name: interval_values
select interval 1 day as a, interval 26 hour as b, interval -14 month as c, interval 0 second as d
-- name: civil_comparisons
select a.id as x, b.id as y, a.d < b.d as d, a.dt < b.dt as dt, a.t < b.t as t from times a join times b on a.id = b.id + 1 order by x
-- name: min_max_of_civil_types
select min(d) as a, max(d) as b, min(dt) as c, max(dt) as e, min(t) as f, max(t) as g, min(ts) as h, max(ts) as k from times
-- name: group_by_civil_types
select date_trunc(d, year) as y, count(*) as n, min(t) as first from times group by y order by y
-- name: values_of_bounds
select id, ts, dt, d, date_sub(d, interval 0 day) = d as same from bounds order by id
-- name: date_of_text_with_time
select date('2026-05-01 10:00:00') as a, date('2026-05-01T10:00:00Z') as b, date('2026-05-01 23:00:00-05') as c, date(ltrim(' 2026-05-01 10:00:00')) as d, date('2026-05-01') as e, safe_cast('2026-05-01 10:00:00' as date) as f
-- name: date_of_text_that_is_no_time
-- fails: no time
select date(ltrim('nonsense')) as a
-- name: time_of_text_with_a_date
select time('2026-05-01 10:00:00') as a, time('2026-05-01T10:00:00.5Z') as b, time('2026-05-01 10:00:00+02') as c, time('2026-05-01') as d
-- name: date_of_numbers_beyond_32_bits
select safe.date(99999999999, 1, 1) as a, safe.datetime(-9223372036854775808, 1, 1, 1, 1, 1) as b, safe.time(1, 1, 9223372036854775807) as c, safe.date(2026, 9223372036854775807, 1) as d
-- name: date_of_a_year_beyond_32_bits
-- fails: no such year
select date(i, 1, 1) as a from extremes
-- name: dates_at_the_bounds_in_zones
select b.id, z, safe.date(ts, z) as v, safe.datetime(ts, z) as w, safe.timestamp(dt, z) as x, safe.timestamp_trunc(ts, day, z) as y, safe.timestamp_trunc(ts, year, z) as u from bounds as b, unnest(['-03:00', '+05:30', 'UTC']) as z order by 1, 2
-- name: date_before_all_years_in_a_zone
-- fails: in the year 0 there
select date(timestamp '0001-01-01 00:00:00+00', 'America/New_York') as a
-- name: datetime_after_all_years_in_a_zone
-- fails: in the year 10000 there
select datetime(timestamp '9999-12-31 23:59:59+00', 'Asia/Tokyo') as a
-- name: timestamp_after_all_years_in_a_zone
-- fails: in the year 10000 in UTC
select timestamp(datetime '9999-12-31 23:59:59', 'America/New_York') as a
-- name: day_before_all_years_in_a_zone
-- fails: begins in the year 0
select timestamp_trunc(timestamp '0001-01-01 12:00:00+00', day, 'Asia/Tokyo') as a
-- name: extracted_date_after_all_years
-- fails: in the year 10000 there
select extract(date from timestamp '9999-12-31 23:59:59+00' at time zone 'Asia/Tokyo') as a
-- name: text_of_a_time_before_all_years
select safe_cast('0001-01-01 00:00:00+09' as timestamp) as a, safe_cast('9999-12-31 23:59:59-03' as timestamp) as b, safe.timestamp('0001-01-01 00:00:00', 'Asia/Tokyo') as c, safe.parse_timestamp('%F', '0001-01-01', 'Asia/Tokyo') as d, safe.parse_timestamp('%F %z', '9999-12-31 -0300') as e, safe_cast('0001-01-01 00:00:00+00' as timestamp) as f
-- name: last_day_after_all_years
-- fails: in the year 10000
select last_day(date '9999-12-31', isoyear) as a
-- name: buckets_of_dates
select id, date_bucket(d, interval 7 day) as a, date_bucket(d, interval 5 month, date '2020-01-31') as b, date_bucket(d, interval 1 year, date '2024-02-29') as c, date_bucket(d, interval 1 quarter) as e, date_bucket(d, interval 2 week, date '2026-05-20') as f from times order by id
-- name: buckets_of_months
select id, datetime_bucket(dt, interval 1 month) as a, datetime_bucket(dt, interval 7 month) as b, datetime_bucket(dt, interval 1 month, datetime '2020-03-31 02:30:00.000001') as c, datetime_bucket(dt, interval 90 minute) as e from times order by id
-- name: buckets_at_the_bounds
select id, safe.date_bucket(d, interval 7 day) as a, safe.date_bucket(d, interval 100 year) as b, safe.datetime_bucket(dt, interval 7 month) as c, safe.datetime_bucket(dt, interval 7 day) as e, safe.timestamp_bucket(ts, interval 90 day) as f from bounds order by id
-- name: buckets_of_no_width
select safe.date_bucket(date '2026-05-17', interval 0 day) as a, safe.date_bucket(date '2026-05-17', interval -1 day) as b, safe.date_bucket(date '2026-05-17', interval 24 hour) as c, safe.datetime_bucket(datetime '2026-05-17', interval 1 month + interval 1 day) as d, safe.timestamp_bucket(timestamp '2026-05-17 00:00:00+00', interval 1 month) as e, date_bucket(cast(null as date), interval 0 day) as f, date_bucket(date '2026-05-17', cast(null as interval)) as g, date_bucket(date '2026-05-17', interval 1 day, cast(null as date)) as h
-- name: bucket_of_hours_of_a_date
-- fails: a date has no hours
select date_bucket(date '2026-05-17', interval 24 hour) as a
-- name: bucket_of_days_and_hours
-- fails: of two parts
select timestamp_bucket(timestamp '2026-05-17 00:00:00+00', interval 1 day + interval 1 hour) as a
-- name: bucket_before_all_years
-- fails: begins before the year 1
select datetime_bucket(datetime '0001-01-01 00:00:00', interval 7 month) as a
-- name: parse_date_of_hours
-- fails: a date has no hours
select parse_date('%F %H', s) as a from unnest(['2026-05-01 10']) as s
-- name: parse_time_of_days
-- fails: a time has no day
select parse_time('%d %H', s) as a from unnest(['01 10']) as s
-- name: parse_datetime_with_zone
-- fails: a datetime has no zone
select parse_datetime('%F %z', s) as a from unnest(['2026-05-01 +0100']) as s
