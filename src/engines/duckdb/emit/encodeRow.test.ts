import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ScalarTypeName, SqlType } from '../../../googlesql/types.ts';
import { encodeRow } from './encodeRow.ts';
import { quoteText } from './literal.ts';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();

async function rowsOf(encoded: string, values: readonly string[]): Promise<readonly string[]> {
  const rows = values.map((value) => `(${value})`).join(', ');
  const reader = await connection.runAndReadAll(
    `SELECT decode(${encoded}) FROM (VALUES ${rows}) AS r(v) ORDER BY v NULLS LAST`,
  );
  return reader.getRows().map(([text]) => String(text));
}

const column = (name: string, kind: ScalarTypeName | 'NULL', sql: string) => ({
  name,
  type: { kind } as SqlType,
  sql,
  isFinite: false,
  isJson: kind === 'JSON',
});

it.each([
  ['STRING', `''`, `'a"b\\c'`, `'\u00e9\u{1f600}'`, `chr(1) || chr(10) || chr(127)`, `'null'`, 'CAST(NULL AS VARCHAR)'],
  ['INT64', '0', 'CAST(-9223372036854775808 AS BIGINT)', '9223372036854775807::BIGINT', '9007199254740993', 'NULL'],
  ['BOOL', 'true', 'false', 'NULL'],
  ['TIMESTAMP', `TIMESTAMP '2026-05-01 10:00:00.000001'`, `TIMESTAMP '0001-01-01 00:00:00'`, 'NULL'],
  ['DATETIME', `TIMESTAMP '2026-05-01 10:00:00'`, `TIMESTAMP '2026-05-01 10:00:00.5'`, 'NULL'],
  ['DATE', `DATE '2026-05-01'`, 'NULL'],
  ['TIME', `TIME '10:00:00.25'`, 'NULL'],
  ['BYTES', `'\\x00\\xFF'::BLOB`, `''::BLOB`, 'NULL'],
  ['INTERVAL', `to_days(3) + to_microseconds(-1)`, 'NULL'],
] as const)('a %s has the same text beside other scalars as beside JSON', async (kind, ...values) => {
  for (const profile of ['plain', 'records'] as const) {
    const alone = await rowsOf(encodeRow([column('x', kind, 'r.v')], profile), values);
    const beside = await rowsOf(
      encodeRow([column('x', kind, 'r.v'), column('j', 'JSON', `'[1]'::JSON`)], profile),
      values,
    );
    expect(alone.map((row) => row.replace(/\}$/, ',"j":[1]}'))).toEqual(beside);
    expect(alone.at(-1)).toBe('{"x":null}');
  }
});

it('writes a FLOAT64 as the number that it is, whole numbers without a point, and what JSON has no number for as text', async () => {
  const asWritten = async (known: boolean, ...values: readonly string[]) =>
    await rowsOf(
      encodeRow([{ ...column('x', 'FLOAT64', 'r.v'), isFinite: known }], 'plain'),
      values.map((value) => `CAST(${value} AS DOUBLE)`),
    );
  expect(await asWritten(false, `'-inf'`, '0', `'inf'`, `'nan'`, 'NULL')).toEqual(
    ['"-Infinity"', '0', '"Infinity"', '"NaN"', 'null'].map((text) => `{"x":${text}}`),
  );
  expect(await asWritten(true, '-0.0', '3', '9007199254740992', 'NULL')).toEqual(
    ['0', '3', '9007199254740992.0', 'null'].map((text) => `{"x":${text}}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), async (number, known) => {
      const [row = ''] = await asWritten(known, `'${number}'`);
      expect(JSON.parse(row).x).toBe(Object.is(number, -0) ? 0 : number);
    }),
    { numRuns: 300 },
  );
});

it('names members as they are called, twice where two are called the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }), async (names) => {
      const usable = names.map((name) => name.replaceAll('\0', ''));
      const columns = usable.map((name, i) => column(name, 'STRING', quoteText(`v${i}`)));
      const wanted = `{${usable.map((name, i) => `${JSON.stringify(name)}:"v${i}"`).join(',')}}`;
      expect(await rowsOf(encodeRow(columns, 'plain'), ['1'])).toEqual([wanted]);
    }),
    { numRuns: 100 },
  );
});

it('is an empty object without columns', async () => {
  expect(await rowsOf(encodeRow([], 'plain'), ['1'])).toEqual(['{}']);
  expect(await rowsOf(encodeRow([], 'plain', ','), ['1'])).toEqual(['{},']);
});

it('writes scalars the same between, before and behind other values', async () => {
  const text = fc.string({ unit: 'grapheme' }).map((each) => each.replaceAll('\0', ''));
  const member = fc.record({ name: text, value: fc.option(text), isJson: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(member, { minLength: 1, maxLength: 7 }), async (members) => {
      const columns = members.map(({ name, value, isJson }) => {
        const stored = value !== null && isJson ? JSON.stringify(value) : value;
        const sql = stored === null ? 'CAST(NULL AS VARCHAR)' : quoteText(stored);
        return column(name, isJson ? 'JSON' : 'STRING', sql);
      });
      const wanted = members.map(({ name, value }) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',');
      expect(await rowsOf(encodeRow(columns, 'plain'), ['1'])).toEqual([`{${wanted}}`]);
      expect(await rowsOf(encodeRow(columns, 'plain', ','), ['1'])).toEqual([`{${wanted}},`]);
    }),
    { numRuns: 200 },
  );
});
