import { scalar } from './declare.ts';

const toText = ['json JSON, path?! STRING => STRING', 'json STRING, path?! STRING => STRING'] as const;
const toPart = ['json JSON, path?! STRING => JSON', 'json STRING, path?! STRING => STRING'] as const;
const toTexts = ['json JSON, path?! STRING => ARRAY<STRING>', 'json STRING, path?! STRING => ARRAY<STRING>'] as const;
const toParts = ['json JSON, path?! STRING => ARRAY<JSON>', 'json STRING, path?! STRING => ARRAY<STRING>'] as const;

/** Functions that also read the JSON inside a nested value that is a string (googlesql.md, section 2). */
export const jsonReaders: ReadonlySet<string> = new Set([
  ...['json_value', 'json_extract_scalar', 'json_query', 'json_extract'],
  ...['json_value_array', 'json_extract_string_array', 'json_query_array', 'json_extract_array'],
]);

/** How JSON_KEYS treats arrays: `strict` passes over them, `lax` over arrays in arrays, `lax recursive` over none. */
export const jsonKeysModes = ['strict', 'lax', 'lax recursive'] as const;
export type JsonKeysMode = (typeof jsonKeysModes)[number];

/**
 * JSON functions (GoogleSQL reference, "JSON functions"). They take JSON text or JSON values; other text gives
 * NULL (googlesql.md, section 3).
 */
export const jsonFunctions = [
  scalar(
    'json_value',
    toText,
    'The scalar at a path, as a string. NULL for objects and arrays.',
    `SELECT JSON_VALUE('{"a": 1}', '$.a')`,
  ),
  scalar('json_extract_scalar', toText, 'The same as JSON_VALUE.', `SELECT JSON_EXTRACT_SCALAR('{"a": 1}', '$.a')`),
  scalar('json_query', toPart, 'The value at a path, as JSON.', `SELECT JSON_QUERY('{"a": {"b": 1}}', '$.a')`),
  scalar('json_extract', toPart, 'The same as JSON_QUERY.', `SELECT JSON_EXTRACT('{"a": {"b": 1}}', '$.a')`),
  scalar(
    'json_value_array',
    toTexts,
    'The scalars of the array at a path, as strings.',
    `SELECT JSON_VALUE_ARRAY('["a", "b"]')`,
  ),
  scalar(
    'json_extract_string_array',
    toTexts,
    'The same as JSON_VALUE_ARRAY.',
    `SELECT JSON_EXTRACT_STRING_ARRAY('["a", "b"]')`,
  ),
  scalar(
    'json_query_array',
    toParts,
    'The elements of the array at a path, as JSON.',
    `SELECT JSON_QUERY_ARRAY('[{"a": 1}]')`,
  ),
  scalar('json_extract_array', toParts, 'The same as JSON_QUERY_ARRAY.', `SELECT JSON_EXTRACT_ARRAY('[{"a": 1}]')`),
  scalar(
    'parse_json',
    ['text STRING => JSON'],
    'Parses JSON text. Any other text is an error.',
    `SELECT PARSE_JSON('{"a": 1}')`,
  ),
  scalar('to_json', ['value T => JSON'], 'A value as JSON.', 'SELECT TO_JSON([1, 2])'),
  scalar(
    'to_json_string',
    ['value T, pretty? BOOL => STRING'],
    'A value as JSON text. If `pretty` is true, it spans several lines, indented by two spaces per level.',
    'SELECT TO_JSON_STRING(STRUCT(1 AS a))',
  ),
  scalar(
    'json_object',
    ['key?* STRING, value?* ANY => JSON', 'keys ARRAY<STRING>, values ARRAY<T> => JSON'],
    'A JSON object from keys and values, or from an array of keys and an array of values, in their order. If a key occurs twice, its first value counts. Keys cannot come from events, because redaction relies on keys and replaces only values.',
    "SELECT JSON_OBJECT('method', 'GET', 'status', 200)",
    { grows: true },
  ),
  scalar('json_array', ['value?* ANY => JSON'], 'A JSON array of values.', "SELECT JSON_ARRAY(1, 'a', NULL)", {
    grows: true,
  }),
  scalar(
    'json_type',
    ['json JSON => STRING'],
    'The type of a JSON value: object, array, string, number or boolean.',
    `SELECT JSON_TYPE(PARSE_JSON('[1]'))`,
  ),
  scalar(
    'json_keys',
    ['json JSON, max_depth? INT64, mode?= STRING => ARRAY<STRING>'],
    "The paths of the members in a JSON value, sorted, each once: all of them, or those of at most `max_depth` names. Names with a dot are in quotes. Members in arrays are left out unless `mode` is `'lax'` (not in arrays of arrays) or `'lax recursive'` (in all).",
    `SELECT JSON_KEYS(JSON '{"a": [{"b": 1}], "c.d": 2}', mode => 'lax')`,
    { grows: true },
  ),
  scalar(
    'lax_bool',
    ['json JSON => BOOL'],
    'A JSON value converted to BOOL, or NULL if that is not possible.',
    `SELECT LAX_BOOL(PARSE_JSON('"true"'))`,
  ),
  scalar(
    'lax_int64',
    ['json JSON => INT64'],
    'A JSON value converted to INT64, or NULL if that is not possible.',
    `SELECT LAX_INT64(PARSE_JSON('"10"'))`,
  ),
  scalar(
    'lax_float64',
    ['json JSON => FLOAT64'],
    'A JSON value converted to FLOAT64, or NULL if that is not possible.',
    `SELECT LAX_FLOAT64(PARSE_JSON('"1.5"'))`,
  ),
  scalar('lax_string', ['json JSON => STRING'], 'A JSON scalar as a string.', `SELECT LAX_STRING(PARSE_JSON('10'))`),
  scalar(
    'bool',
    ['json JSON => BOOL'],
    'A JSON boolean as BOOL. Any other value is an error.',
    `SELECT BOOL(PARSE_JSON('true'))`,
  ),
  scalar(
    'int64',
    ['json JSON => INT64'],
    'A JSON integer as INT64. Any other value is an error.',
    `SELECT INT64(PARSE_JSON('10'))`,
  ),
  scalar(
    'float64',
    ['json JSON => FLOAT64'],
    'A JSON number as FLOAT64. Any other value is an error.',
    `SELECT FLOAT64(PARSE_JSON('1.5'))`,
  ),
] as const;
