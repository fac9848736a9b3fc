import { scalar } from './declare.ts';

const shifted = [
  'timestamp TIMESTAMP, interval INTERVAL => TIMESTAMP',
  'datetime DATETIME, interval INTERVAL => DATETIME',
] as const;

/** TIMESTAMP functions (GoogleSQL reference, "timestamp functions"). The clock is read once per run. */
export const timestampFunctions = [
  scalar(
    'current_timestamp',
    [' => TIMESTAMP'],
    'The time of the run, the same throughout a query.',
    'SELECT CURRENT_TIMESTAMP()',
  ),
  scalar(
    'timestamp',
    [
      'text STRING, zone? STRING => TIMESTAMP',
      'timestamp TIMESTAMP => TIMESTAMP',
      'datetime DATETIME, zone? STRING => TIMESTAMP',
      'date DATE, zone? STRING => TIMESTAMP',
    ],
    'A timestamp from a string, datetime or date, in UTC unless a zone is given.',
    "SELECT TIMESTAMP('2026-05-01 10:00:00+02')",
  ),
  scalar(
    'timestamp_add',
    shifted,
    'Adds an interval.',
    "SELECT TIMESTAMP_ADD(timestamp '2026-05-01', INTERVAL 1 HOUR)",
  ),
  scalar(
    'timestamp_sub',
    shifted,
    'Subtracts an interval.',
    'SELECT TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)',
  ),
  scalar(
    'timestamp_diff',
    [
      'later TIMESTAMP, earlier TIMESTAMP, part PART.elapsed => INT64',
      'later DATETIME, earlier DATETIME, part PART.datetime => INT64',
    ],
    'The number of whole units between two times, negative if the first is earlier.',
    "SELECT TIMESTAMP_DIFF(timestamp '2026-05-01 10:00:00', timestamp '2026-05-01 09:00:00', MINUTE)",
  ),
  scalar(
    'timestamp_trunc',
    [
      'timestamp TIMESTAMP, part PART.datetime, zone? STRING => TIMESTAMP',
      'datetime DATETIME, part PART.datetime => DATETIME',
    ],
    'The start of the unit that contains the time.',
    "SELECT TIMESTAMP_TRUNC(timestamp '2026-05-01 10:30:00', HOUR)",
  ),
  scalar(
    'timestamp_bucket',
    [
      'timestamp TIMESTAMP, width INTERVAL, origin? TIMESTAMP => TIMESTAMP',
      'datetime DATETIME, width INTERVAL, origin? DATETIME => DATETIME',
      'date DATE, width INTERVAL, origin? DATE => DATE',
    ],
    'The start of the bucket that contains the time (default origin: 1950-01-01).',
    "SELECT TIMESTAMP_BUCKET(timestamp '2026-05-01 10:07:00', INTERVAL 5 MINUTE)",
  ),
  scalar(
    'format_timestamp',
    ['format! STRING, timestamp TIMESTAMP, zone? STRING => STRING', 'format! STRING, datetime DATETIME => STRING'],
    'Formats a timestamp with strftime elements.',
    "SELECT FORMAT_TIMESTAMP('%F %T', timestamp '2026-05-01 10:00:00')",
  ),
  scalar(
    'parse_timestamp',
    ['format! STRING, text STRING, zone? STRING => TIMESTAMP'],
    'Parses a timestamp with strftime elements. A string that does not match is an error.',
    "SELECT PARSE_TIMESTAMP('%F %T', '2026-05-01 10:00:00')",
  ),
  scalar(
    'string',
    [
      'json JSON => STRING',
      'timestamp TIMESTAMP, zone? STRING => STRING',
      'datetime DATETIME => STRING',
      'date DATE => STRING',
      'time TIME => STRING',
    ],
    'A time, or a JSON string, as a STRING.',
    "SELECT STRING(timestamp '2026-05-01 10:00:00')",
  ),
  scalar(
    'unix_seconds',
    ['timestamp TIMESTAMP => INT64'],
    'Seconds since 1970, rounded down.',
    "SELECT UNIX_SECONDS(timestamp '2026-05-01')",
  ),
  scalar(
    'unix_millis',
    ['timestamp TIMESTAMP => INT64'],
    'Milliseconds since 1970, rounded down.',
    "SELECT UNIX_MILLIS(timestamp '2026-05-01')",
  ),
  scalar(
    'unix_micros',
    ['timestamp TIMESTAMP => INT64'],
    'Microseconds since 1970.',
    "SELECT UNIX_MICROS(timestamp '2026-05-01')",
  ),
  scalar(
    'timestamp_seconds',
    ['seconds INT64 => TIMESTAMP'],
    'A timestamp from seconds since 1970.',
    'SELECT TIMESTAMP_SECONDS(1777629600)',
  ),
  scalar(
    'timestamp_millis',
    ['milliseconds INT64 => TIMESTAMP'],
    'A timestamp from milliseconds since 1970.',
    'SELECT TIMESTAMP_MILLIS(1777629600123)',
  ),
  scalar(
    'timestamp_micros',
    ['microseconds INT64 => TIMESTAMP'],
    'A timestamp from microseconds since 1970.',
    'SELECT TIMESTAMP_MICROS(1777629600123456)',
  ),
] as const;
