import { windowOnly } from './declare.ts';

/** Functions that require OVER (GoogleSQL reference, "numbering functions", "navigation functions"). */
export const windowFunctions = [
  windowOnly(
    'row_number',
    [' => INT64'],
    'The position of the row in its partition, from 1.',
    'SELECT ROW_NUMBER() OVER (ORDER BY x) FROM UNNEST([3, 1]) AS x',
  ),
  windowOnly(
    'rank',
    [' => INT64'],
    'The rank of the row, with gaps after ties.',
    'SELECT RANK() OVER (ORDER BY x) FROM UNNEST([3, 1]) AS x',
  ),
  windowOnly(
    'dense_rank',
    [' => INT64'],
    'The rank of the row, without gaps.',
    'SELECT DENSE_RANK() OVER (ORDER BY x) FROM UNNEST([3, 1]) AS x',
  ),
  windowOnly(
    'percent_rank',
    [' => FLOAT64'],
    '(rank − 1) / (rows − 1).',
    'SELECT PERCENT_RANK() OVER (ORDER BY x) FROM UNNEST([3, 1]) AS x',
  ),
  windowOnly(
    'cume_dist',
    [' => FLOAT64'],
    'The fraction of rows that precede the row or tie with it.',
    'SELECT CUME_DIST() OVER (ORDER BY x) FROM UNNEST([3, 1]) AS x',
  ),
  windowOnly(
    'ntile',
    ['buckets! INT64 => INT64'],
    'The number of the bucket, from 1, if the rows are divided evenly into `buckets`.',
    'SELECT NTILE(2) OVER (ORDER BY x) FROM UNNEST([3, 1]) AS x',
  ),
  windowOnly(
    'first_value',
    ['x T => T'],
    'The value in the first row of the frame.',
    'SELECT FIRST_VALUE(x) OVER (ORDER BY x) FROM UNNEST([3, 1]) AS x',
    { modifiers: ['nulls'] },
  ),
  windowOnly(
    'last_value',
    ['x T => T'],
    'The value in the last row of the frame.',
    'SELECT LAST_VALUE(x) OVER (ORDER BY x) FROM UNNEST([3, 1]) AS x',
    { modifiers: ['nulls'] },
  ),
  windowOnly(
    'nth_value',
    ['x T, n! INT64 => T'],
    'The value in the n-th row of the frame, from 1.',
    'SELECT NTH_VALUE(x, 2) OVER (ORDER BY x) FROM UNNEST([3, 1]) AS x',
    { modifiers: ['nulls'] },
  ),
  windowOnly(
    'lag',
    ['x T, offset?! INT64, fallback? T => T'],
    'The value in an earlier row (default offset: 1).',
    'SELECT LAG(x) OVER (ORDER BY x) FROM UNNEST([3, 1]) AS x',
    { modifiers: ['nulls'] },
  ),
  windowOnly(
    'lead',
    ['x T, offset?! INT64, fallback? T => T'],
    'The value in a later row (default offset: 1).',
    'SELECT LEAD(x) OVER (ORDER BY x) FROM UNNEST([3, 1]) AS x',
    { modifiers: ['nulls'] },
  ),
  windowOnly(
    'percentile_cont',
    ['x FLOAT64, percentile! FLOAT64 => FLOAT64'],
    'The interpolated percentile of the non-NULL values in the partition. With RESPECT NULLS, a NULL counts as the smallest value.',
    'SELECT PERCENTILE_CONT(x, 0.5) OVER () FROM UNNEST([1, 2]) AS x',
    { modifiers: ['nulls'] },
  ),
  windowOnly(
    'percentile_disc',
    [
      'x NUMBER, percentile! FLOAT64 => NUMBER',
      'x STRING, percentile! FLOAT64 => STRING',
      'x TIMESTAMP, percentile! FLOAT64 => TIMESTAMP',
      'x DATETIME, percentile! FLOAT64 => DATETIME',
      'x DATE, percentile! FLOAT64 => DATE',
      'x TIME, percentile! FLOAT64 => TIME',
      'x BOOL, percentile! FLOAT64 => BOOL',
      'x BYTES, percentile! FLOAT64 => BYTES',
    ],
    'The smallest value in the partition whose cumulative distribution reaches the percentile. NULLs are ignored; with RESPECT NULLS, they come first.',
    'SELECT PERCENTILE_DISC(x, 0.5) OVER () FROM UNNEST([1, 2]) AS x',
    { modifiers: ['nulls'] },
  ),
] as const;
