import { DuckDBBlobValue, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Pause } from '../../../core/concurrency/turns.ts';
import { encodeResult } from '../../../formats/encodeResult.ts';
import type { ChosenFormat } from '../../../formats/resultFormat.ts';
import { arrayOf, type SqlType } from '../../../googlesql/types.ts';
import { QuoteDoubler } from '../process/read/quoteDoubler.ts';
import { encodeLine } from './encodeLine.ts';
import { encodeRow } from './encodeRow.ts';
import { quoteText } from './literal.ts';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();

const pause = new Pause();
const doubler = new QuoteDoubler();
const forms: readonly ChosenFormat[] = (['csv', 'tsv'] as const).flatMap((name) =>
  [false, true].map((isGuarded) => ({ name, isGuarded, hasMark: false })),
);

/** The values in each form, as the engine writes them and as they are written from its JSON. */
async function bothWays(type: SqlType, values: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const column = { name: 'v', type, sql: 'r.v', isFinite: false, isJson: type.kind === 'JSON' };
  const table = `(VALUES ${values.map((value, i) => `(${i}, ${value})`).join(', ')}) AS r(i, v) ORDER BY i`;
  const linesOf = async (encoded: string, { name }: ChosenFormat): Promise<string> => {
    const found = (await connection.runAndReadAll(`SELECT ${encoded} FROM ${table}`)).getRows();
    const bytes = Buffer.concat(
      found.map(([line]) => (line instanceof DuckDBBlobValue ? line.bytes : Buffer.of(0xfe))),
    );
    if (name !== 'csv') return bytes.toString();
    doubler.load(bytes, 0, bytes.length);
    return Buffer.from(doubler.written(doubler.doubleUntil(bytes.length))).toString();
  };
  const rowsOf = async (encoded: string) =>
    (await connection.runAndReadAll(`SELECT decode(${encoded}) FROM ${table}`)).getRows().map(([text]) => String(text));
  const rows = Buffer.from((await rowsOf(encodeRow([column, column], 'plain'))).join(','));
  const found: (readonly [string, string])[] = [];
  for (const format of forms) {
    const result = {
      ...{ endpointName: 'e', columns: [column, column], rows, rowCount: values.length, asOfMicros: 0, meta: '{}' },
      remarks: [],
    };
    const whole = (await encodeResult(result, format, pause)).toString();
    const kind = format.name === 'csv' ? 'csv' : 'tsv';
    const lines = await linesOf(encodeLine([column, column], { kind, isGuarded: format.isGuarded }), format);
    found.push([lines, whole.slice(whole.indexOf('\n') + 1)]);
  }
  return found;
}

async function expectSame(type: SqlType, values: readonly string[]): Promise<void> {
  for (const [engine, json] of await bothWays(type, values)) expect(engine).toBe(json);
}

const struct: SqlType = {
  kind: 'STRUCT',
  fields: [
    { name: 'a "b"', type: { kind: 'STRING' } },
    { name: 'n', type: { kind: 'FLOAT64' } },
  ],
};

const cases: readonly (readonly [SqlType, ...string[]])[] = [
  [{ kind: 'INT64' }, '0', '(-9223372036854775807 - 1)::BIGINT', '9223372036854775807::BIGINT', 'NULL'],
  [
    { kind: 'FLOAT64' },
    ...['0', '-0.0', '1.5', '1e16', '1e300', '-1e-7', '9007199254740991', '9007199254740993', '0.1'].map(
      (text) => `CAST('${text}' AS DOUBLE)`,
    ),
    `CAST('nan' AS DOUBLE)`,
    `CAST('inf' AS DOUBLE)`,
    `CAST('-inf' AS DOUBLE)`,
    'NULL',
  ],
  [{ kind: 'BOOL' }, 'true', 'false', 'NULL'],
  [{ kind: 'TIMESTAMP' }, `TIMESTAMP '2026-05-01 10:00:00.000001'`, `TIMESTAMP '0001-01-01 00:00:00'`, 'NULL'],
  [{ kind: 'DATETIME' }, `TIMESTAMP '2026-05-01 10:00:00'`, `TIMESTAMP '9999-12-31 23:59:59.5'`, 'NULL'],
  [{ kind: 'DATE' }, `DATE '2026-05-01'`, `DATE '0001-01-01'`, 'NULL'],
  [{ kind: 'TIME' }, `TIME '10:00:00.25'`, `TIME '10:00:00'`, 'NULL'],
  [{ kind: 'BYTES' }, `'\\x00\\xFF'::BLOB`, `'\\xFB\\xFB'::BLOB`, `''::BLOB`, 'NULL'],
  [{ kind: 'INTERVAL' }, `to_days(3) + to_microseconds(-1)`, 'NULL'],
  [{ kind: 'NULL' }, 'CAST(NULL AS VARCHAR)'],
  [arrayOf({ kind: 'STRING' }), `['a"b', NULL, '=1']`, `CAST([] AS VARCHAR[])`, 'NULL'],
  [struct, `{'f0': 'x"\t', 'f1': CAST('inf' AS DOUBLE)}`, `{'f0': NULL, 'f1': NULL}`, 'NULL'],
];
it.each(cases.map(([type, ...values]) => ({ type, values })))(
  '$type.kind is written as from the JSON of the row',
  async ({ type, values }) => {
    await expectSame(type, values);
  },
);

const special = fc.constantFrom(
  '"',
  "'",
  ',',
  '\\',
  '\t',
  '\r',
  '\n',
  '=',
  '+',
  '-',
  '@',
  '\u0001',
  '\uff1d',
  '\u{1f600}',
  '\\N',
);
const text = fc
  .array(fc.oneof(special, fc.string({ unit: 'grapheme', maxLength: 4 })), { maxLength: 6 })
  .map((parts) => parts.join(''));
const stored = (value: string): string =>
  value.includes('\0') ? `replace(${quoteText(value.replaceAll('\0', '\ue000'))}, '\ue000', chr(0))` : quoteText(value);

it('texts of any characters are written as from the JSON of the row', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text), { minLength: 1, maxLength: 20 }), async (texts) => {
      const values = [
        ...texts.map((value) => (value === null ? 'NULL' : stored(value))),
        'chr(0)',
        `''`,
        'CAST(NULL AS VARCHAR)',
      ];
      await expectSame({ kind: 'STRING' }, values);
    }),
    { numRuns: 50 },
  );
});

it('JSON of any kind is written as from the JSON of the row', async () => {
  const json = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
    text.map((value) => JSON.stringify(value)),
    fc.constantFrom(
      'null',
      'true',
      '-5',
      '12345678901234567890',
      '{"a": [1,\n2]}',
      '"\\u003d1"',
      '"\\ud83d\\ude00"',
      '[\r\n]',
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(json, { minLength: 1, maxLength: 20 }), async (texts) => {
      const values = [...texts.map((value) => `CAST(${stored(value)} AS JSON)`), 'CAST(NULL AS JSON)'];
      await expectSame({ kind: 'JSON' }, values);
    }),
    { numRuns: 50 },
  );
});
