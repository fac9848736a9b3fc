-- name: timestamp_of_text
select timestamp('2026-05-01 10:20:30') as a, timestamp('2026-05-01') as b, timestamp('2026-05-01T10:20:30.123456Z') as c, timestamp('2026-05-01 10:20:30+05:30') as d, timestamp('2026-05-01 10:20:30', 'America/New_York') as e
-- name: timestamp_of_other_types
select id, timestamp(ts) as a, timestamp(dt) as b, timestamp(d) as c, timestamp(dt, 'Europe/Berlin') as e, timestamp(d, 'America/Los_Angeles') as f from times order by id
-- name: timestamp_of_other_text
-- fails: no time
select timestamp(s) as a from texts where id = 1
-- name: timestamp_add_each_part
select id, timestamp_add(ts, interval 1 day) as a, timestamp_add(ts, interval -25 hour) as b, timestamp_add(ts, interval 90 minute) as c, timestamp_add(ts, interval 3601 second) as d, timestamp_add(ts, interval 1500 millisecond) as e, timestamp_add(ts, interval -1 microsecond) as f from times order by id
-- name: timestamp_sub_each_part
select id, timestamp_sub(ts, interval 1 day) as a, timestamp_sub(ts, interval 5 hour) as b, timestamp_sub(ts, interval 1 microsecond) as c, timestamp_sub(ts, interval id minute) as d from times order by id
-- name: timestamp_add_beyond_the_end
-- fails: beyond the year 9999
select timestamp_add(ts, interval 1 day) as a from bounds where id = 2
-- name: timestamp_sub_beyond_the_beginning
-- fails: before the year 1
select timestamp_sub(ts, interval 1 second) as a from bounds where id = 1
-- name: timestamp_plus_interval
select id, ts + interval 1 hour as a, ts - interval 30 minute as b, interval 2 day + ts as c from times order by id
-- name: timestamp_minus_timestamp
select id, cast(ts - timestamp '2026-05-01 00:00:00+00' as string) as a from times where id <> 4 order by id
-- name: timestamp_diff_each_part
select id, timestamp_diff(ts, timestamp '2026-04-30 12:00:00+00', day) as a, timestamp_diff(ts, timestamp '2026-04-30 12:00:00+00', hour) as b, timestamp_diff(ts, timestamp '2026-04-30 12:00:00+00', minute) as c, timestamp_diff(ts, timestamp '2026-04-30 12:00:00+00', second) as d, timestamp_diff(ts, timestamp '2026-04-30 12:00:00+00', millisecond) as e, timestamp_diff(ts, timestamp '2026-04-30 12:00:00+00', microsecond) as f from times order by id
-- name: timestamp_diff_of_rows
select a.id as x, b.id as y, timestamp_diff(a.ts, b.ts, hour) as h, timestamp_diff(a.ts, b.ts, second) as s from times a join times b on a.id < b.id and b.id < 7 order by x, y
-- name: timestamp_diff_of_bounds
select timestamp_diff(max(ts), min(ts), microsecond) as a, timestamp_diff(min(ts), max(ts), day) as b from bounds
-- name: timestamp_trunc_small_parts
select id, timestamp_trunc(ts, microsecond) as a, timestamp_trunc(ts, millisecond) as b, timestamp_trunc(ts, second) as c, timestamp_trunc(ts, minute) as d, timestamp_trunc(ts, hour) as e, timestamp_trunc(ts, day) as f from times order by id
-- name: timestamp_trunc_large_parts
select id, timestamp_trunc(ts, month) as a, timestamp_trunc(ts, quarter) as b, timestamp_trunc(ts, year) as c, timestamp_trunc(ts, isoyear) as d from times order by id
-- name: timestamp_trunc_weeks
select id, timestamp_trunc(ts, week) as a, timestamp_trunc(ts, isoweek) as b, timestamp_trunc(ts, week(monday)) as c, timestamp_trunc(ts, week(saturday)) as d, timestamp_trunc(ts, week(sunday)) as e from times order by id
-- name: timestamp_trunc_more_weeks
select id, timestamp_trunc(ts, week(tuesday)) as a, timestamp_trunc(ts, week(wednesday)) as b, timestamp_trunc(ts, week(thursday)) as c, timestamp_trunc(ts, week(friday)) as d from times order by id
-- name: timestamp_trunc_in_zone
select id, timestamp_trunc(ts, day, 'America/New_York') as a, timestamp_trunc(ts, hour, 'Asia/Kolkata') as b, timestamp_trunc(ts, week, 'Europe/Berlin') as c, timestamp_trunc(ts, month, '+05:30') as d from times where id <> 9 order by id
-- name: timestamp_trunc_around_changes_of_clocks
select timestamp_trunc(timestamp '2026-03-29 05:00:00+00', day, 'Europe/Berlin') as a, timestamp_trunc(timestamp '2026-10-25 05:00:00+00', day, 'Europe/Berlin') as b, timestamp_trunc(timestamp '2026-03-08 12:00:00+00', day, 'America/New_York') as c, timestamp_trunc(timestamp '2026-10-25 01:30:00+00', hour, 'Europe/Berlin') as d
-- name: timestamp_trunc_of_bounds
select id, timestamp_trunc(ts, day) as a, timestamp_trunc(ts, year) as b, timestamp_trunc(ts, hour) as c from bounds order by id
-- name: timestamp_bucket_by_intervals
select id, timestamp_bucket(ts, interval 15 minute) as a, timestamp_bucket(ts, interval 7 day) as b, timestamp_bucket(ts, interval 10 second, timestamp '2026-01-01 00:00:03+00') as c from times order by id
-- name: datetime_bucket_by_intervals
select id, datetime_bucket(dt, interval 15 minute) as a, datetime_bucket(dt, interval 2 day) as b, datetime_bucket(dt, interval 6 hour, datetime '2026-01-01 01:00:00') as c from times order by id
-- name: extract_date_parts
select id, extract(year from ts) as y, extract(quarter from ts) as q, extract(month from ts) as m, extract(day from ts) as d, extract(dayofyear from ts) as dy, extract(dayofweek from ts) as dw, extract(isoyear from ts) as iy from times order by id
-- name: extract_weeks
select id, extract(week from ts) as w, extract(isoweek from ts) as iw, extract(week(monday) from ts) as wm, extract(week(saturday) from ts) as ws, extract(week(thursday) from ts) as wt from times order by id
-- name: extract_time_parts
select id, extract(hour from ts) as h, extract(minute from ts) as m, extract(second from ts) as s, extract(millisecond from ts) as ms, extract(microsecond from ts) as us from times order by id
-- name: extract_in_zone
select id, extract(hour from ts at time zone 'America/New_York') as h, extract(day from ts at time zone 'Asia/Tokyo') as d, extract(date from ts at time zone 'Pacific/Auckland') as dd, extract(minute from ts at time zone '+05:45') as m from times where id <> 9 order by id
-- name: extract_values
select id, extract(date from ts) as d, extract(time from ts) as t, extract(datetime from ts) as dt, extract(date from dt) as dd, extract(time from dt) as tt from times order by id
-- name: extract_of_civil_types
select id, extract(year from d) as a, extract(week from d) as b, extract(isoweek from dt) as c, extract(dayofweek from dt) as e, extract(hour from t) as f, extract(microsecond from t) as g, extract(second from dt) as h from times order by id
-- name: extract_of_bounds
select id, extract(year from ts) as y, extract(isoyear from ts) as iy, extract(week from d) as w, extract(dayofyear from dt) as dy from bounds order by id
-- name: unix_times
select id, unix_seconds(ts) as a, unix_millis(ts) as b, unix_micros(ts) as c, unix_date(d) as e from times order by id
-- name: unix_times_of_bounds
select id, unix_seconds(ts) as a, unix_millis(ts) as b, unix_micros(ts) as c, unix_date(d) as e from bounds order by id
-- name: timestamps_of_unix_times
select timestamp_seconds(i) as a, timestamp_millis(i) as b, timestamp_micros(i) as c, timestamp_micros(-i) as d from numbers where id <> 7 order by id
-- name: timestamp_seconds_out_of_range
-- fails: beyond the year 9999
select timestamp_seconds(i) as a from extremes where id = 1
-- name: date_from_unix_date_of_numbers
select i, date_from_unix_date(i) as a from numbers where abs(i) < 2000000 order by i
-- name: format_timestamp_dates
select id, format_timestamp('%Y-%m-%d', ts) as a, format_timestamp('%F', ts) as b, format_timestamp('%D %x', ts) as c, format_timestamp('%e/%m/%y', ts) as d, format_timestamp('%j %U %W %V %G %u %w', ts) as e, format_timestamp('%A %a %B %b %h', ts) as f from times order by id
-- name: format_timestamp_times
select id, format_timestamp('%H:%M:%S', ts) as a, format_timestamp('%T %R', ts) as b, format_timestamp('%I:%M %p', ts) as c, format_timestamp('%E3S %E6S %E*S', ts) as d, format_timestamp('%k %l', ts) as e, format_timestamp('%c', ts) as f, format_timestamp('%s', ts) as g from times order by id
-- name: format_timestamp_zones
select id, format_timestamp('%Z %z', ts) as a, format_timestamp('%F %T %Ez', ts, 'America/New_York') as b, format_timestamp('%F %T', ts, 'Asia/Kolkata') as c, format_timestamp('%z', ts, '+05:30') as d from times where id <> 9 order by id
-- name: format_timestamp_others
select format_timestamp('%%|%n|%t|%C|%Q', timestamp '2026-05-01 00:00:00+00') as a, format_timestamp('', timestamp '2026-05-01 00:00:00+00') as b, format_timestamp('%E4Y', timestamp '2026-05-01 00:00:00+00') as c, format_timestamp('week %V of %G', timestamp '2021-01-03 00:00:00+00') as d
-- name: parse_timestamp_forms
select parse_timestamp('%Y-%m-%d %H:%M:%S', '2026-05-01 10:20:30') as a, parse_timestamp('%F', '2026-05-01') as b, parse_timestamp('%d/%b/%Y:%H:%M:%S %z', '01/May/2026:10:20:30 +0200') as c, parse_timestamp('%s', '1777630830') as d, parse_timestamp('%Y-%m-%dT%H:%M:%E*SZ', '2026-05-01T10:20:30.123456Z') as e, parse_timestamp('%m/%d/%y %I:%M %p', '05/01/26 01:05 PM') as f
-- name: parse_timestamp_in_zone
select parse_timestamp('%F %T', '2026-05-01 10:20:30', 'America/New_York') as a, parse_timestamp('%F %T %Z', '2026-07-01 10:20:30 UTC') as b, parse_timestamp('%c', 'Fri May  1 10:20:30 2026') as c
-- name: parse_timestamp_of_other_text
-- fails: another form
select parse_timestamp('%F', s) as a from texts where id = 1
-- name: parse_timestamp_with_rest
-- fails: text after the time
select parse_timestamp('%F', concat('2026-05-01', s)) as a from texts where id = 1
-- name: string_of_times
select id, string(ts) as a, string(ts, 'America/New_York') as b, string(dt) as c, string(d) as e, string(t) as f from times where id <> 9 order by id
-- name: current_times_agree
-- by hand: they are what the clock says
-- rows: [[true, true, true, true, true]]
select current_date() = date(current_timestamp()) as a, current_datetime() = datetime(current_timestamp()) as b, current_time() = time(current_timestamp()) as c, current_date('UTC') = current_date() as d, timestamp_diff(current_timestamp(), current_timestamp, microsecond) = 0 as e
-- name: current_times_in_zones
-- by hand: they are what the clock says
-- rows: [[9, -4, true]]
select datetime_diff(current_datetime('Asia/Tokyo'), current_datetime(), hour) as a, datetime_diff(current_datetime('America/New_York'), current_datetime(), hour) as b, current_time('Asia/Tokyo') = time(current_timestamp(), 'Asia/Tokyo') as c
-- name: generate_timestamp_array_up_and_down
select generate_timestamp_array(timestamp '2026-05-01 00:00:00+00', timestamp '2026-05-01 03:00:00+00', interval 1 hour) as a, generate_timestamp_array(timestamp '2026-05-03 00:00:00+00', timestamp '2026-05-01 00:00:00+00', interval -1 day) as b, generate_timestamp_array(timestamp '2026-05-01 00:00:00+00', timestamp '2026-05-01 00:00:00+00', interval 5 minute) as c, generate_timestamp_array(timestamp '2026-05-02 00:00:00+00', timestamp '2026-05-01 00:00:00+00', interval 1 day) as d
-- name: generate_timestamp_array_of_null
select generate_timestamp_array(cast(null as timestamp), timestamp '2026-05-01 00:00:00+00', interval 1 day) as a
-- name: generate_timestamp_array_by_zero
-- fails: a step of nothing
select generate_timestamp_array(ts, ts, interval 0 day) as a from times where id = 1
-- name: timestamps_by_microsecond
select ts, timestamp_micros(unix_micros(ts)) = ts as same, ts = timestamp '1969-12-31 23:59:59.999999+00' as before_epoch from times where id in (1, 3) order by ts
-- name: order_of_timestamps
select id from times order by ts desc, id
-- name: timestamp_literals
select timestamp '2026-05-01' as a, timestamp '2026-05-01 10:20:30 America/New_York' as b, timestamp '2026-05-01 10:20:30.5-08' as c, timestamp "2026-05-01T10:20:30Z" as d
-- name: timestamp_against_text
select id, ts between '2026-01-01' and '2026-04-01' as a, ts >= '2026-05-01 10:20:30.123456+00' as b, ts = '1969-12-31T23:59:59.999999Z' as c from times order by id
-- name: bucket_of_null_before_checks
select timestamp_bucket(cast(null as timestamp), interval -3 hour) as a
-- name: parse_numbers_padded_with_blanks
select parse_timestamp('%e/%b/%Y:%k:%M:%S %z', ' 9/Mar/2026: 1:11:12 +0100') as a, parse_date('%Y-%m-%e', '2026-03- 9') as b, parse_date('%Y-%m-%e', '2026-03-19') as c, parse_time('%l:%M', ' 1:30') as d, parse_timestamp('%F|%l', '2026-03-09| 2') as e, safe.parse_date('%Y-%m-%d', '2026-03- 9') as f
-- name: parse_names_short_or_long
select parse_date('%a, %d %b %Y', d) as a, parse_date('%A, %e %B %Y', d) as b, parse_timestamp('%a %h %d %E*S %Y', concat(split(d, ',')[offset(0)], ' May 1 12.5 2026')) as c from unnest(['Monday, 09 MARCH 2026', 'mon, 9 mar 2026', 'MON, 9 March 2026', 'monday,  9 Mar 2026']) as d
-- name: parts_of_intervals
select extract(year from i) as a, extract(month from i) as b, extract(day from i) as c, extract(hour from i) as d, extract(minute from i) as e, extract(second from i) as f, extract(millisecond from i) as g, extract(microsecond from i) as h from unnest([interval 14 month, interval -14 month, interval 100 hour, interval -100 minute, interval 36 day, timestamp '2026-05-01 10:00:00.123456' - timestamp '2026-05-02 10:00:00', timestamp '2026-05-03 10:00:00.123456' - timestamp '2026-05-02 09:00:00', date '2026-05-03' - date '2026-04-02', null]) as i
-- name: zones_of_columns_with_offsets
select z, string(timestamp '2026-01-02 03:04:05', z) as a, timestamp_trunc(timestamp '2026-01-02 03:04:05', day, z) as b, extract(datetime from timestamp '2026-01-02 03:04:05' at time zone z) as c, parse_timestamp('%Y', '2026', z) as d, timestamp(datetime '2026-01-02 03:04:05', z) as e from unnest(['UTC+1234', 'UTC+5', 'UTC-5', '+123', '+1:3', '-0:30', 'UTC-05:30', '+14:00', 'UTC', 'Etc/UTC', 'Etc/GMT+3', 'EST5EDT', 'Asia/Kolkata', 'GMT', cast(null as string)]) as z with offset as o order by o
-- name: constant_zones_with_offsets
select string(timestamp '2026-01-02 03:04:05', 'UTC+1234') as a, string(timestamp '2026-01-02 03:04:05', 'UTC+12:34') as b, string(timestamp '2026-01-02 03:04:05', 'UTC-5') as c, datetime(timestamp '2026-01-02 03:04:05', 'UTC+1') as d
-- name: zone_of_a_column_beyond_all_offsets
-- fails: more than 14 hours
select string(timestamp '2026-01-02 03:04:05', z) as a from unnest(['UTC+14:01']) as z
-- name: zone_of_a_column_that_names_an_offset
-- fails: no zone has this name
select string(timestamp '2026-01-02 03:04:05', z) as a from unnest(['GMT+3']) as z
-- name: formats_of_times_by_their_own_type
select format_timestamp('%c|%T|%Z|%Q', x) as a, format_datetime('%c|%T|%Z|%Q', x) as b, format_date('%D %T|%j %g|%Z', x) as c, format_timestamp('%c|%Z', date '2020-02-15') as d, format_datetime('%c|%Z', date '2020-02-15') as e, format_date('%c|%Z|%F', date '2020-02-15') as f, format_date('%c|%Z', t) as g, format_datetime('%c|%z', t, '+02') as h from (select datetime '1987-08-07 12:34:56.789123' as x, timestamp '2020-02-15 10:11:12+00' as t)
-- name: buckets_of_times_by_their_own_type
select timestamp_bucket(d, interval 7 day) as a, datetime_bucket(d, interval 7 day, date '2150-12-11') as b, date_bucket(d, interval 2 month) as c, timestamp_bucket(x, interval 7 day) as e, date_bucket(x, interval 2 hour) as f, datetime_bucket(t, interval 7 day, timestamp '2150-12-11 01:00:00+00') as g, date_bucket(t, interval 90 minute) as h, timestamp_add(d, interval 3 day) as i, datetime_sub(t, interval 3 hour) as j, timestamp_trunc(d, month) as k from (select date '2020-02-15' as d, datetime '1987-08-07 12:34:56.789123' as x, timestamp '2020-02-15 10:11:12+00' as t)
-- name: parsed_nulls
select parse_date('%Y', null) as a, parse_timestamp('%F', cast(null as string)) as b, parse_date('%U%C', null) as c
-- name: parse_weeks
select s, parse_date('%Y %W', s) as a, parse_date('%Y %U', s) as b, parse_timestamp('%Y %W', s) as c, parse_datetime('%Y %U %H', concat(s, ' 5')) as d from unnest(['2026 01', '2026 9', '2026  9', '2024 52', '2023 52', '2018 53', '2017 52', '0001 01', '9999 52', '1970 30']) as s with offset as o where s <> '2018 53' order by o
-- name: parse_weeks_of_years
select parse_date('%W%y', '092') as a, parse_date('%U%y', '0902') as b, parse_date('%W', '09') as c, parse_date('%U', '52') as d, parse_timestamp('%W %Y %H', '10 2026 23') as e, parse_date('%W/%y', cast(null as string)) as f, parse_date('%W %Y', '53 2018') as g, parse_date('%U %Y', '53 2023') as h
-- name: parse_week_beyond_the_year
-- fails: the week 53 of 2026 begins in 2027
select parse_date('%W %Y', s) as a from unnest(['53 2026']) as s
-- name: parse_week_beyond_all
-- fails: there is no such week
select parse_date('%U %Y', s) as a from unnest(['54 2026']) as s
-- name: parse_week_with_weekday
-- fails: GoogleSQL does not read days of weeks
select parse_date('%U %Y %a', s) as a from unnest(['10 2026 Tue']) as s
