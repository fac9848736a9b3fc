import { scalar } from './declare.ts';

/** Conditional functions (GoogleSQL reference, "conditional expressions"). */
export const conditionalFunctions = [
  scalar(
    'if',
    ['condition BOOL, then T, otherwise T => T'],
    'The second value if the condition is true, else the third.',
    "SELECT IF(1 = 1, 'yes', 'no')",
  ),
  scalar(
    'ifnull',
    ['x T, fallback T => T'],
    'The first value, or the second if the first is NULL.',
    'SELECT IFNULL(NULL, 1)',
  ),
  scalar('coalesce', ['x* T => T'], 'The first value that is not NULL.', 'SELECT COALESCE(NULL, 1, 2)'),
  scalar('nullif', ['x T, y T => T'], 'NULL if both values are equal, else the first.', "SELECT NULLIF('', '')"),
  scalar('greatest', ['x* T => T'], 'The largest of the values; NULL if one is NULL.', 'SELECT GREATEST(1, 3, 2)'),
  scalar('least', ['x* T => T'], 'The smallest of the values; NULL if one is NULL.', 'SELECT LEAST(1, 3, 2)'),
] as const;
