import { scalar } from './declare.ts';

/** Array functions (GoogleSQL reference, "array functions"). Generated arrays hold at most 100,000 elements. */
export const arrayFunctions = [
  scalar('array_length', ['array ARRAY<T> => INT64'], 'The number of elements.', 'SELECT ARRAY_LENGTH([1, 2])'),
  scalar(
    'array_concat',
    ['array* ARRAY<T> => ARRAY<T>'],
    'Concatenates arrays. NULL if one is NULL.',
    'SELECT ARRAY_CONCAT([1], [2])',
  ),
  scalar(
    'array_reverse',
    ['array ARRAY<T> => ARRAY<T>'],
    'The elements in reverse order.',
    'SELECT ARRAY_REVERSE([1, 2])',
  ),
  scalar(
    'array_first',
    ['array ARRAY<T> => T'],
    'The first element. An empty array is an error.',
    "SELECT ARRAY_FIRST(SPLIT('a,b'))",
  ),
  scalar(
    'array_last',
    ['array ARRAY<T> => T'],
    'The last element. An empty array is an error.',
    "SELECT ARRAY_LAST(SPLIT('a,b'))",
  ),
  scalar(
    'array_slice',
    ['array ARRAY<T>, first INT64, last INT64 => ARRAY<T>'],
    'The elements from one offset to another, inclusive. Negative offsets count from the end; offsets outside the array are ignored.',
    'SELECT ARRAY_SLICE([1, 2, 3, 4], 1, -2)',
  ),
  scalar(
    'array_to_string',
    [
      'array ARRAY<STRING>, delimiter STRING, null_text? STRING => STRING',
      'array ARRAY<BYTES>, delimiter BYTES, null_text? BYTES => BYTES',
    ],
    'Joins the elements. NULL elements are left out unless `null_text` is given.',
    "SELECT ARRAY_TO_STRING(['a', 'b'], ',')",
  ),
  scalar(
    'range_bucket',
    ['point T, boundaries ARRAY<T> => INT64'],
    'The number of boundaries that a value has reached, 0 if it is below the first. They must be in ascending order.',
    'SELECT RANGE_BUCKET(250, [100, 200, 300])',
  ),
  scalar(
    'generate_array',
    ['first NUMBER, last NUMBER, step? NUMBER => ARRAY<NUMBER>'],
    'Numbers from the first to the last, inclusive.',
    'SELECT GENERATE_ARRAY(1, 10, 3)',
    { grows: true },
  ),
  scalar(
    'generate_date_array',
    ['first DATE, last DATE, step? INTERVAL => ARRAY<DATE>'],
    'Dates from the first to the last (default step: one day).',
    "SELECT GENERATE_DATE_ARRAY(date '2026-05-01', date '2026-05-03')",
    { grows: true },
  ),
  scalar(
    'generate_timestamp_array',
    ['first TIMESTAMP, last TIMESTAMP, step INTERVAL => ARRAY<TIMESTAMP>'],
    'Timestamps from the first to the last.',
    "SELECT GENERATE_TIMESTAMP_ARRAY(timestamp '2026-05-01 10:00:00', timestamp '2026-05-01 12:00:00', INTERVAL 1 HOUR)",
    { grows: true },
  ),
] as const;
