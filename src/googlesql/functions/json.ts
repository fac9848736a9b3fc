import { scalar } from './declare.ts';

const toText = ['json JSON, path?! STRING => STRING', 'json STRING, path?! STRING => STRING'] as const;
const toPart = ['json JSON, path?! STRING => JSON', 'json STRING, path?! STRING => STRING'] as const;
const toTexts = ['json JSON, path?! STRING => ARRAY<STRING>', 'json STRING, path?! STRING => ARRAY<STRING>'] as const;
const toParts = ['json JSON, path?! STRING => ARRAY<JSON>', 'json STRING, path?! STRING => ARRAY<STRING>'] as const;

/** What reads JSON in texts: of a nested value that is a string it reads the text (googlesql.md, section 2). */
export const jsonReaders: ReadonlySet<string> = new Set([
  ...['json_value', 'json_extract_scalar', 'json_query', 'json_extract'],
  ...['json_value_array', 'json_extract_string_array', 'json_query_array', 'json_extract_array'],
]);

/**
 * JSON functions (GoogleSQL reference, "JSON functions"). They take JSON text or JSON values; text
 * that is not JSON gives NULL (googlesql.md, section 3).
 */
export const jsonFunctions = [
  scalar(
    'json_value',
    toText,
    'The scalar at a path, as text; NULL for objects and arrays.',
    `SELECT JSON_VALUE('{"a": 1}', '$.a')`,
  ),
  scalar('json_extract_scalar', toText, 'The same as JSON_VALUE.', `SELECT JSON_EXTRACT_SCALAR('{"a": 1}', '$.a')`),
  scalar('json_query', toPart, 'What stands at a path, as JSON.', `SELECT JSON_QUERY('{"a": {"b": 1}}', '$.a')`),
  scalar('json_extract', toPart, 'The same as JSON_QUERY.', `SELECT JSON_EXTRACT('{"a": {"b": 1}}', '$.a')`),
  scalar(
    'json_value_array',
    toTexts,
    'The scalars of the array at a path, as text.',
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
    'JSON text as a JSON value; other text is an error.',
    `SELECT PARSE_JSON('{"a": 1}')`,
  ),
  scalar('to_json', ['value T => JSON'], 'A value as JSON.', 'SELECT TO_JSON([1, 2])'),
  scalar(
    'to_json_string',
    ['value T, pretty? BOOL => STRING'],
    'A value as JSON text, on lines of its own with two blanks for each level if `pretty` is true.',
    'SELECT TO_JSON_STRING(STRUCT(1 AS a))',
  ),
  scalar(
    'json_object',
    ['key?* STRING, value?* ANY => JSON', 'keys ARRAY<STRING>, values ARRAY<T> => JSON'],
    'A JSON object of names and values, or of an array of names and one of values, in their order; of a name that stands twice the first value counts. Names are made of no event, as redaction goes by names and looks at values.',
    "SELECT JSON_OBJECT('method', 'GET', 'status', 200)",
    { grows: true },
  ),
  scalar('json_array', ['value?* ANY => JSON'], 'A JSON array of values.', "SELECT JSON_ARRAY(1, 'a', NULL)", {
    grows: true,
  }),
  scalar(
    'json_type',
    ['json JSON => STRING'],
    'object, array, string, number or boolean.',
    `SELECT JSON_TYPE(PARSE_JSON('[1]'))`,
  ),
  scalar(
    'lax_bool',
    ['json JSON => BOOL'],
    'A JSON value as BOOL as far as it can be read so.',
    `SELECT LAX_BOOL(PARSE_JSON('"true"'))`,
  ),
  scalar(
    'lax_int64',
    ['json JSON => INT64'],
    'A JSON value as INT64 as far as it can be read so.',
    `SELECT LAX_INT64(PARSE_JSON('"10"'))`,
  ),
  scalar(
    'lax_float64',
    ['json JSON => FLOAT64'],
    'A JSON value as FLOAT64 as far as it can be read so.',
    `SELECT LAX_FLOAT64(PARSE_JSON('"1.5"'))`,
  ),
  scalar('lax_string', ['json JSON => STRING'], 'A JSON scalar as text.', `SELECT LAX_STRING(PARSE_JSON('10'))`),
  scalar(
    'bool',
    ['json JSON => BOOL'],
    'A JSON boolean as BOOL; another value is an error.',
    `SELECT BOOL(PARSE_JSON('true'))`,
  ),
  scalar(
    'int64',
    ['json JSON => INT64'],
    'A JSON whole number as INT64; another value is an error.',
    `SELECT INT64(PARSE_JSON('10'))`,
  ),
  scalar(
    'float64',
    ['json JSON => FLOAT64'],
    'A JSON number as FLOAT64; another value is an error.',
    `SELECT FLOAT64(PARSE_JSON('1.5'))`,
  ),
] as const;
