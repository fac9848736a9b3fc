import { describe, expect, test } from 'vitest';
import type { FunctionName } from '../../../googlesql/functions/catalogue.ts';
import { describeCases } from './describeCases.contract.ts';
import {
  array,
  bytes,
  type CaseArgument,
  d,
  dt,
  type Given,
  json,
  nul,
  nullArray,
  openCaseDatabase,
  selectScalar,
  struct,
  t,
  ts,
} from './functionCases.contract.ts';

/** As long as a text may be. */
const longText: CaseArgument = { kind: 'value', type: { kind: 'STRING' }, sql: "repeat('x', 4194304)" };

describe('JSON that is made of values is bounded', () => {
  test.each<[FunctionName, readonly Given[]]>([
    ['to_json', [longText]],
    ['json_object', ['a', longText]],
    ['json_array', [longText, longText]],
  ])('%s', async (name, given) => {
    const run = await openCaseDatabase();
    await expect(run(selectScalar(name, given, 'literals'))).rejects.toThrow(/more than 4194304 bytes/);
  });
});

test('the keys of JSON are bounded', async () => {
  const run = await openCaseDatabase();
  const given: Given = {
    kind: 'value',
    type: { kind: 'JSON' },
    sql: `CAST('{"' || repeat('x', 100000) || '":{' || array_to_string(list_transform(range(50), lambda i: '"' || i || '":1'), ',') || '}}' AS JSON)`,
  };
  await expect(run(selectScalar('json_keys', [given], 'literals'))).rejects.toThrow(/more than 4194304 characters/);
});

describe('pretty JSON text is bounded', () => {
  test.each([
    ['more levels than 16', "CAST(repeat('[', 17) || repeat(']', 17) AS JSON)", /more than 16 levels/],
    [
      'a JSON value of many lines',
      "CAST('[' || repeat('1,', 100000) || '1]' AS JSON)",
      /could have more than 4194304 bytes/,
    ],
  ])('%s', async (_title, value, message) => {
    const run = await openCaseDatabase();
    const given: Given = { kind: 'value', type: { kind: 'JSON' }, sql: value };
    await expect(run(selectScalar('to_json_string', [given, true], 'literals'))).rejects.toThrow(message);
  });
});

describeCases('reading JSON', [
  ['json_value', ['{"a":{"b":1}}', '$.a.b'], '1'],
  ['json_value', ['{"a":{"b":1}}', '$.a'], null],
  ['json_value', ['{"a":true}', '$.a'], 'true'],
  ['json_value', ['{"a":null}', '$.a'], null],
  ['json_value', ['{"a":"x\\"y"}', '$.a'], 'x"y'],
  ['json_value', ['{"a":9007199254740993}', '$.a'], '9007199254740993'],
  ['json_value', ['not json', '$.a'], null],
  ['json_value', ['{"a":', '$.a'], null],
  ['json_value', ['"x"'], 'x'],
  ['json_value', ['{"a":[1,2]}', '$.a[1]'], '2'],
  ['json_value', ['{"a":[1,2]}', '$.a[5]'], null],
  ['json_value', ['{"a b":1}', "$['a b']"], '1'],
  ['json_value', ['{"a b":1}', '$."a b"'], '1'],
  ['json_value', ['{"a.b":1}', '$."a.b"'], '1'],
  ['json_value', ['{"*":5,"x":6}', '$."*"'], '5'],
  ['json_value', ['{"q\\"r":{"c":7}}', '$."q\\"r".c'], '7'],
  ['json_value', ['{"é":3}', '$.é'], '3'],
  ['json_value', ['{"a":1}', 'a'], /must start with \$/],
  ['json_value', ['{"a":1}', '$.'], /expecting a member name/],
  ['json_value', ['{"a":1}', '$.a[x]'], /not valid at character 4/],
  ['json_value', [nul('STRING'), '$.a'], null],
  ['json_value', ['{"a":1}', nul('STRING')], null],
  ['json_value', [json('{"request":{"method":"GET"}}'), '$.request.method'], 'GET'],
  ['json_value', [json('{"request":{"method":"GET"}}'), '$.request'], null],
  ['json_extract_scalar', ['{"level":"info"}', '$.level'], 'info'],
  ['json_extract_scalar', ['[]', '$'], null],
  ['json_query', ['{"a":{"b": 1}}', '$.a'], '{"b":1}'],
  ['json_query', ['{"a":"x"}', '$.a'], '"x"'],
  ['json_query', ['{"a":null}', '$.a'], null],
  ['json_query', ['x', '$.a'], null],
  ['json_query', [json('{"a":{"b":1}}'), '$.a'], '{"b":1}'],
  ['json_query', [json('{"a":null}'), '$.a'], null],
  ['json_extract', ['{"a":[1, 2]}', '$.a'], '[1,2]'],
  ['json_extract', [nul('JSON'), '$.a'], null],
  ['json_value_array', ['["a",1,null]'], '[a, 1, NULL]'],
  ['json_value_array', ['{"a":["x"]}', '$.a'], '[x]'],
  ['json_value_array', ['[[1]]'], null],
  ['json_value_array', ['{"a":1}', '$.a'], null],
  ['json_extract_string_array', ['["a"]'], '[a]'],
  ['json_extract_string_array', ['x'], null],
  ['json_query_array', ['[{"a":1},"b"]'], `['{"a":1}', '"b"']`],
  ['json_query_array', ['{"a":1}'], null],
  ['json_query_array', [json('[1,null]')], '[1, NULL]'],
  ['json_extract_array', ['{"a":[]}', '$.a'], '[]'],
  ['json_extract_array', [nul('STRING')], null],
]);

describeCases('making and converting JSON', [
  ['parse_json', ['{"a": 1}'], '{"a":1}'],
  ['parse_json', ['null'], null],
  ['parse_json', ['{'], /needs valid JSON text/],
  ['parse_json', [nul('STRING')], null],
  ['to_json', [array('INT64', [1n, 2n])], '[1,2]'],
  ['to_json', [nul('INT64')], null],
  ['to_json', [json('{"a":1}')], '{"a":1}'],
  ['to_json_string', ['a"b\n'], '"a\\"b\\n"'],
  ['to_json_string', [nul('STRING')], 'null'],
  ['to_json_string', [9223372036854775807n], '"9223372036854775807"'],
  ['to_json_string', [-9007199254740992n], '-9007199254740992'],
  ['to_json', [9223372036854775807n], '9223372036854775807'],
  ['to_json', [1.0], '1.0'],
  ['to_json', [1e20], '1e+20'],
  ['to_json_string', ['\u2028'], '"\\u2028"'],
  ['to_json_string', [1.0], '1'],
  ['to_json_string', [0.1], '0.1'],
  ['to_json_string', [Number.NaN], '"NaN"'],
  ['to_json_string', [true], 'true'],
  ['to_json_string', [ts('2026-05-01 10:00:00.25')], '"2026-05-01T10:00:00.250Z"'],
  ['to_json_string', [dt('2026-05-01 10:00:00')], '"2026-05-01T10:00:00"'],
  ['to_json_string', [d('2026-05-01')], '"2026-05-01"'],
  ['to_json_string', [t('10:00:00.000001')], '"10:00:00.000001"'],
  ['to_json_string', [bytes('616263')], '"YWJj"'],
  ['to_json_string', [array('STRING', ['a', null])], '["a",null]'],
  ['to_json_string', [array('STRING', [])], '[]'],
  ['to_json_string', [nullArray('STRING')], 'null'],
  [
    'to_json_string',
    [
      struct([
        ['a', nul('STRING')],
        ['b"c', array('FLOAT64', [1.5])],
      ]),
    ],
    '{"a":null,"b\\"c":[1.5]}',
  ],
  ['to_json_string', [json('{"a":null}')], '{"a":null}'],
  ['json_type', [json('[1]')], 'array'],
  ['json_type', [json('{}')], 'object'],
  ['json_type', [json('-1')], 'number'],
  ['json_object', [], '{}'],
  ['json_object', ['z', 1n, 'a"\n', nul('STRING')], '{"z":1,"a\\"\\n":null}'],
  ['json_object', ['a', json('{"b":[1,null]}'), 'a', 2n], '{"a":{"b":[1,null]}}'],
  ['json_object', [nul('STRING'), 1n], /name in JSON_OBJECT must not be NULL/],
  ['json_array', [], '[]'],
  ['json_array', [1n, 'a"', true, 1, nul('INT64'), nullArray('INT64')], '[1,"a\\"",true,1.0,null,null]'],
  ['json_array', [array('STRING', ['a', null]), ts('2026-05-01 10:00:00')], '[["a",null],"2026-05-01T10:00:00Z"]'],
  ['json_type', [json('1.5')], 'number'],
  ['json_type', [json('"a"')], 'string'],
  ['json_type', [json('true')], 'boolean'],
  ['json_type', [nul('JSON')], null],
  ['lax_bool', [json('"TRUE"')], 'true'],
  ['lax_bool', [json('0')], 'false'],
  ['lax_bool', [json('"x"')], null],
  ['lax_int64', [json('"10"')], '10'],
  ['lax_int64', [json('2.5')], '3'],
  ['lax_int64', [json('true')], '1'],
  ['lax_int64', [json('"x"')], null],
  ['lax_int64', [json('9223372036854775807')], '9223372036854775807'],
  ['lax_int64', [json('1e300')], null],
  ['lax_float64', [json('"1.5"')], '1.5'],
  ['lax_float64', [json('true')], null],
  ['lax_string', [json('10')], '10'],
  ['lax_string', [json('1.0')], '1'],
  ['lax_string', [json('{}')], null],
  ['bool', [json('true')], 'true'],
  ['bool', [json('1')], /BOOL found/],
  ['int64', [json('10')], '10'],
  ['int64', [json('10.0')], '10'],
  ['int64', [json('1.5')], /INT64 found/],
  ['int64', [json('"10"')], /INT64 found/],
  ['float64', [json('1.5')], '1.5'],
  ['float64', [json('"a"')], /FLOAT64 found/],
  ['float64', [nul('JSON')], null],
]);

describeCases('the keys of JSON', [
  ['json_keys', [json('{"b":{"c":1},"a":2}')], '[a, b, b.c]'],
  ['json_keys', [json('{"b":{"c":1},"a":2}'), 1n], '[a, b]'],
  ['json_keys', [json('{"b":{"c":1},"a":2}'), nul('INT64')], '[a, b, b.c]'],
  ['json_keys', [json('{"a":1}'), 0n], /max_depth of 1 or more/],
  ['json_keys', [nul('JSON'), 0n], null],
  ['json_keys', [json('{"a":[{"b":1},[{"c":2}]]}')], '[a]'],
  ['json_keys', [json('{"a":[{"b":1},[{"c":2}]]}'), nul('INT64'), 'strict'], '[a]'],
  ['json_keys', [json('{"a":[{"b":1},[{"c":2}]]}'), nul('INT64'), 'lax'], '[a, a.b]'],
  ['json_keys', [json('{"a":[{"b":1},[{"c":2}]]}'), nul('INT64'), 'lax recursive'], '[a, a.b, a.c]'],
  ['json_keys', [json('[{"b":[{"c":1}]}]'), 1n, 'lax'], '[b]'],
  ['json_keys', [json('{"a":1}'), nul('INT64'), nul('STRING')], null],
  ['json_keys', [json('{"a":1}'), nul('INT64'), 'other'], /one of the modes 'strict', 'lax', 'lax recursive'/],
  ['json_keys', [json('{"a.b":{"c":1},"q\\"r":2,"é":3}')], String.raw`['"a.b"', '"a.b".c', '"q\\"r"', é]`],
  ['json_keys', [json('{"a":{"x":1},"a":{"y":1}}')], '[a, a.x]'],
  ['json_keys', [json('{"":{"a":1}, "z" : [ ] }')], "['', a, z]"],
  ['json_keys', [json('7')], '[]'],
  ['json_keys', [json('[1]')], '[]'],
  ['json_keys', [nul('JSON')], null],
]);

describeCases('strings of events that hold JSON', [
  ['$json_in_text', [json('"{\\"a\\":1}"')], '{"a":1}'],
  ['$json_in_text', [json('" [1, 2]"')], ' [1, 2]'],
  ['$json_in_text', [json('"null"')], null],
  ['$json_in_text', [json('"no JSON"')], '"no JSON"'],
  ['$json_in_text', [json('"{\\"a\\":NaN}"')], '"{\\"a\\":NaN}"'],
  ['$json_in_text', [json('{"a":"[1]"}')], '{"a":"[1]"}'],
  ['$json_in_text', [json('7')], '7'],
  ['$json_in_text', [nul('JSON')], null],
]);
