import { scalar } from './declare.ts';

/** Regular expressions, in the syntax of RE2 (GoogleSQL reference, "string functions"). */
export const regexpFunctions = [
  scalar(
    'regexp_contains',
    ['value STRING, pattern STRING => BOOL', 'value BYTES, pattern BYTES => BOOL'],
    'Whether the pattern matches a part of the value.',
    "SELECT REGEXP_CONTAINS('/rest/v1', r'^/rest')",
  ),
  scalar(
    'regexp_extract',
    [
      'value STRING, pattern STRING, position? INT64, occurrence? INT64 => STRING',
      'value BYTES, pattern BYTES, position? INT64, occurrence? INT64 => BYTES',
    ],
    'The part that matches the pattern, or its one capturing group. NULL if nothing matches.',
    "SELECT REGEXP_EXTRACT('/rest/v1', r'^/([a-z]+)/')",
  ),
  scalar(
    'regexp_substr',
    [
      'value STRING, pattern STRING, position? INT64, occurrence? INT64 => STRING',
      'value BYTES, pattern BYTES, position? INT64, occurrence? INT64 => BYTES',
    ],
    'The same as REGEXP_EXTRACT.',
    "SELECT REGEXP_SUBSTR('a1b2', r'[0-9]', 1, 2)",
  ),
  scalar(
    'regexp_extract_all',
    ['value STRING, pattern STRING => ARRAY<STRING>', 'value BYTES, pattern BYTES => ARRAY<BYTES>'],
    'All matches of the pattern, or of its one capturing group.',
    "SELECT REGEXP_EXTRACT_ALL('a1b22', r'[0-9]+')",
  ),
  scalar(
    'regexp_instr',
    [
      'value STRING, pattern STRING, position? INT64, occurrence? INT64, after? INT64 => INT64',
      'value BYTES, pattern BYTES, position? INT64, occurrence? INT64, after? INT64 => INT64',
    ],
    'The position of a match, or of its one capturing group, from 1. 0 if nothing matches. If `after` is 1, the position after the match.',
    "SELECT REGEXP_INSTR('a1b22', r'[0-9]+', 1, 2)",
  ),
  scalar(
    'regexp_replace',
    [
      'value STRING, pattern STRING, replacement STRING => STRING',
      'value BYTES, pattern BYTES, replacement BYTES => BYTES',
    ],
    'Replaces all matches. In the replacement, \\\\1 to \\\\9 stand for groups and \\\\0 stands for the match.',
    "SELECT REGEXP_REPLACE('/v1/', r'/v(\\d+)/', r'/v\\1x/')",
    { grows: true },
  ),
] as const;
