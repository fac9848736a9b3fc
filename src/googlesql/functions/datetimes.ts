import { scalar } from './declare.ts';

const shifted = [
  'datetime DATETIME, interval INTERVAL => DATETIME',
  'timestamp TIMESTAMP, interval INTERVAL => TIMESTAMP',
] as const;
const dateShifted = [
  'date DATE, interval INTERVAL => DATE',
  'datetime DATETIME, interval INTERVAL => DATETIME',
  'timestamp TIMESTAMP, interval INTERVAL => TIMESTAMP',
] as const;
const timeShifted = ['time TIME, interval INTERVAL => TIME'] as const;

/** DATETIME, DATE and TIME functions (GoogleSQL reference, "datetime functions", "date functions", "time functions"). */
export const datetimeFunctions = [
  scalar(
    'current_datetime',
    ['zone? STRING => DATETIME'],
    'The date and time of the run (default zone: UTC).',
    'SELECT CURRENT_DATETIME()',
  ),
  scalar('current_date', ['zone? STRING => DATE'], 'The date of the run (default zone: UTC).', 'SELECT CURRENT_DATE()'),
  scalar(
    'current_time',
    ['zone? STRING => TIME'],
    'The time of day of the run (default zone: UTC).',
    'SELECT CURRENT_TIME()',
  ),
  scalar(
    'datetime',
    [
      'text STRING => DATETIME',
      'timestamp TIMESTAMP, zone? STRING => DATETIME',
      'datetime DATETIME => DATETIME',
      'date DATE, time? TIME => DATETIME',
      'year INT64, month INT64, day INT64, hour INT64, minute INT64, second INT64 => DATETIME',
    ],
    'A datetime from a string, a timestamp, a date or numbers.',
    "SELECT DATETIME(timestamp '2026-05-01 10:00:00', 'Europe/Helsinki')",
  ),
  scalar(
    'date',
    [
      'text STRING => DATE',
      'timestamp TIMESTAMP, zone? STRING => DATE',
      'datetime DATETIME => DATE',
      'date DATE => DATE',
      'year INT64, month INT64, day INT64 => DATE',
    ],
    'A date from a string, a timestamp, a datetime or numbers.',
    "SELECT DATE(timestamp '2026-05-01 10:00:00')",
  ),
  scalar(
    'time',
    [
      'text STRING => TIME',
      'timestamp TIMESTAMP, zone? STRING => TIME',
      'datetime DATETIME => TIME',
      'time TIME => TIME',
      'hour INT64, minute INT64, second INT64 => TIME',
    ],
    'A time of day from a string, a timestamp, a datetime or numbers.',
    "SELECT TIME(timestamp '2026-05-01 10:00:00')",
  ),
  scalar(
    'datetime_add',
    shifted,
    'Adds an interval.',
    "SELECT DATETIME_ADD(datetime '2026-05-01 10:00:00', INTERVAL 1 HOUR)",
  ),
  scalar(
    'datetime_sub',
    shifted,
    'Subtracts an interval.',
    "SELECT DATETIME_SUB(datetime '2026-05-01 10:00:00', INTERVAL 1 HOUR)",
  ),
  scalar('date_add', dateShifted, 'Adds an interval.', "SELECT DATE_ADD(date '2026-05-01', INTERVAL 1 DAY)"),
  scalar('date_sub', dateShifted, 'Subtracts an interval.', "SELECT DATE_SUB(date '2026-05-03', INTERVAL 1 MONTH)"),
  scalar(
    'time_add',
    timeShifted,
    'Adds an interval, and wraps around at midnight.',
    "SELECT TIME_ADD(time '23:30:00', INTERVAL 1 HOUR)",
  ),
  scalar(
    'time_sub',
    timeShifted,
    'Subtracts an interval, and wraps around at midnight.',
    "SELECT TIME_SUB(time '00:30:00', INTERVAL 1 HOUR)",
  ),
  scalar(
    'datetime_diff',
    [
      'later DATETIME, earlier DATETIME, part PART.datetime => INT64',
      'later TIMESTAMP, earlier TIMESTAMP, part PART.elapsed => INT64',
    ],
    'The number of unit boundaries between two datetimes.',
    "SELECT DATETIME_DIFF(datetime '2026-05-02', datetime '2026-05-01', DAY)",
  ),
  scalar(
    'date_diff',
    [
      'later DATE, earlier DATE, part PART.calendar => INT64',
      'later DATETIME, earlier DATETIME, part PART.datetime => INT64',
      'later TIMESTAMP, earlier TIMESTAMP, part PART.elapsed => INT64',
    ],
    'The number of unit boundaries between two dates.',
    "SELECT DATE_DIFF(date '2026-05-03', date '2026-05-01', DAY)",
  ),
  scalar(
    'time_diff',
    ['later TIME, earlier TIME, part PART.clock => INT64'],
    'The number of unit boundaries between two times of day.',
    "SELECT TIME_DIFF(time '10:00:00', time '09:00:00', MINUTE)",
  ),
  scalar(
    'datetime_trunc',
    [
      'datetime DATETIME, part PART.datetime => DATETIME',
      'timestamp TIMESTAMP, part PART.datetime, zone? STRING => TIMESTAMP',
    ],
    'The start of the unit that contains the datetime.',
    "SELECT DATETIME_TRUNC(datetime '2026-05-01 10:30:00', HOUR)",
  ),
  scalar(
    'date_trunc',
    [
      'date DATE, part PART.calendar => DATE',
      'datetime DATETIME, part PART.datetime => DATETIME',
      'timestamp TIMESTAMP, part PART.datetime, zone? STRING => TIMESTAMP',
    ],
    'The start of the unit that contains the date.',
    "SELECT DATE_TRUNC(date '2026-05-03', WEEK(MONDAY))",
  ),
  scalar(
    'time_trunc',
    ['time TIME, part PART.clock => TIME'],
    'The start of the unit that contains the time of day.',
    "SELECT TIME_TRUNC(time '10:30:00', HOUR)",
  ),
  scalar(
    'datetime_bucket',
    [
      'datetime DATETIME, width INTERVAL, origin? DATETIME => DATETIME',
      'date DATE, width INTERVAL, origin? DATE => DATE',
      'timestamp TIMESTAMP, width INTERVAL, origin? TIMESTAMP => TIMESTAMP',
    ],
    'The start of the bucket that contains the datetime (default origin: 1950-01-01).',
    "SELECT DATETIME_BUCKET(datetime '2026-05-01 10:07:00', INTERVAL 5 MINUTE)",
  ),
  scalar(
    'date_bucket',
    [
      'date DATE, width INTERVAL, origin? DATE => DATE',
      'datetime DATETIME, width INTERVAL, origin? DATETIME => DATETIME',
      'timestamp TIMESTAMP, width INTERVAL, origin? TIMESTAMP => TIMESTAMP',
    ],
    'The start of the bucket that contains the date (default origin: 1950-01-01).',
    "SELECT DATE_BUCKET(date '2026-05-17', INTERVAL 2 MONTH)",
  ),
  scalar(
    'last_day',
    ['date DATE, part? PART.lastDay => DATE', 'datetime DATETIME, part? PART.lastDay => DATE'],
    'The last day of the month, or of the given unit.',
    "SELECT LAST_DAY(date '2026-02-03')",
  ),
  scalar(
    'format_datetime',
    ['format! STRING, datetime DATETIME => STRING', 'format! STRING, timestamp TIMESTAMP, zone? STRING => STRING'],
    'Formats a datetime with strftime elements.',
    "SELECT FORMAT_DATETIME('%F %T', datetime '2026-05-01 10:00:00')",
  ),
  scalar(
    'format_date',
    [
      'format! STRING, date DATE => STRING',
      'format! STRING, datetime DATETIME => STRING',
      'format! STRING, timestamp TIMESTAMP, zone? STRING => STRING',
    ],
    'Formats a date with strftime elements.',
    "SELECT FORMAT_DATE('%Y-%m', date '2026-05-01')",
  ),
  scalar(
    'format_time',
    ['format! STRING, time TIME => STRING'],
    'Formats a time of day with strftime elements.',
    "SELECT FORMAT_TIME('%H:%M', time '10:00:00')",
  ),
  scalar(
    'parse_datetime',
    ['format! STRING, text STRING => DATETIME'],
    'Parses a datetime with strftime elements.',
    "SELECT PARSE_DATETIME('%F %T', '2026-05-01 10:00:00')",
  ),
  scalar(
    'parse_date',
    ['format! STRING, text STRING => DATE'],
    'Parses a date with strftime elements.',
    "SELECT PARSE_DATE('%Y%m%d', '20260501')",
  ),
  scalar(
    'parse_time',
    ['format! STRING, text STRING => TIME'],
    'Parses a time of day with strftime elements.',
    "SELECT PARSE_TIME('%H:%M', '10:30')",
  ),
  scalar('unix_date', ['date DATE => INT64'], 'Days since 1970-01-01.', "SELECT UNIX_DATE(date '2026-05-01')"),
  scalar(
    'date_from_unix_date',
    ['days INT64 => DATE'],
    'A date from days since 1970-01-01.',
    'SELECT DATE_FROM_UNIX_DATE(20574)',
  ),
] as const;
