import { scalar } from './declare.ts';

/** Array functions (GoogleSQL reference, "array functions"). Generated arrays hold at most 100,000 elements. */
export const arrayFunctions = [
  scalar('array_length', ['array ARRAY<T> => INT64'], 'The number of elements.', 'SELECT ARRAY_LENGTH([1, 2])'),
  scalar(
    'array_concat',
    ['array* ARRAY<T> => ARRAY<T>'],
    'The arrays one after another; NULL if one is NULL.',
    'SELECT ARRAY_CONCAT([1], [2])',
  ),
  scalar('array_reverse', ['array ARRAY<T> => ARRAY<T>'], 'The elements in reverse.', 'SELECT ARRAY_REVERSE([1, 2])'),
  scalar(
    'array_first',
    ['array ARRAY<T> => T'],
    'The first element; an empty array is an error.',
    "SELECT ARRAY_FIRST(SPLIT('a,b'))",
  ),
  scalar(
    'array_last',
    ['array ARRAY<T> => T'],
    'The last element; an empty array is an error.',
    "SELECT ARRAY_LAST(SPLIT('a,b'))",
  ),
  scalar(
    'array_slice',
    ['array ARRAY<T>, first INT64, last INT64 => ARRAY<T>'],
    'The elements from one offset to another, both included; negative offsets count from the end, and those outside are left out.',
    'SELECT ARRAY_SLICE([1, 2, 3, 4], 1, -2)',
  ),
  scalar(
    'array_to_string',
    [
      'array ARRAY<STRING>, delimiter STRING, null_text? STRING => STRING',
      'array ARRAY<BYTES>, delimiter BYTES, null_text? BYTES => BYTES',
    ],
    'The elements joined; NULL elements are left out unless a text is given for them.',
    "SELECT ARRAY_TO_STRING(['a', 'b'], ',')",
  ),
  scalar(
    'range_bucket',
    ['point T, boundaries ARRAY<T> => INT64'],
    'How many of the boundaries a value has reached: 0 below the first one. They must be in ascending order.',
    'SELECT RANGE_BUCKET(250, [100, 200, 300])',
  ),
  scalar(
    'generate_array',
    ['first NUMBER, last NUMBER, step? NUMBER => ARRAY<NUMBER>'],
    'Numbers from the first to the last, both included.',
    'SELECT GENERATE_ARRAY(1, 10, 3)',
    { grows: true },
  ),
  scalar(
    'generate_date_array',
    ['first DATE, last DATE, step? INTERVAL => ARRAY<DATE>'],
    'Dates from the first to the last, a day apart unless a step is given.',
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
