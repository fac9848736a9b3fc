import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Pause } from '../../../../core/concurrency/turns.ts';
import { chosenJson } from '../../../../formats/resultFormat.ts';
import { type EncodedFrame, rowEncoder } from '../../../../formats/rowEncoder.ts';
import type { SqlType } from '../../../../googlesql/types.ts';
import type { ColumnFrame } from '../../../../ports/queryEngine.ts';
import { encodeColumns } from '../../emit/encodeColumns.ts';
import { type EncodedColumn, encodeRow } from '../../emit/encodeRow.ts';
import { quoteText } from '../../emit/literal.ts';
import { ColumnChunk, ColumnRows } from './columnRows.ts';
import { layoutsOf } from './columnVectors.ts';
import { frameBytes } from './rowFrames.ts';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();

const columnOf = (type: SqlType, i: number): EncodedColumn => ({
  name: `c${i}`,
  type,
  sql: `r.v${i}`,
  isFinite: false,
  isJson: type.kind === 'JSON',
});

interface Collected {
  readonly frames: readonly ColumnFrame[];
  readonly facts: ColumnRows['facts'];
}

/** The frames of a statement of columns. */
async function framesOf(sql: string, rowsMax = 1e9, bytesMax = 1e12): Promise<Collected> {
  const result = await connection.stream(sql);
  const layouts = layoutsOf(result);
  const rows = new ColumnRows(rowsMax, bytesMax, layouts);
  const frames: ColumnFrame[] = [];
  const take = () => {
    // Bytes that a frame does not write must not be seen, and buffers are used again.
    const { rowCount, payload } = rows.takeFrame(Buffer.alloc(256 * 1024, 0xee));
    // At an address that typed arrays do not accept, as some frames come.
    const bytes =
      frames.length % 2 === 0 ? Buffer.concat(payload) : Buffer.concat([Buffer.of(1), ...payload]).subarray(1);
    if (rowCount > 0) frames.push({ kind: 'columns', rows: bytes, rowCount });
  };
  for (let given = await result.fetchChunk(); given !== null && given.rowCount > 0; given = await result.fetchChunk()) {
    const chunk = new ColumnChunk(given, layouts);
    for (let row = 0; row < chunk.rowCount && rows.isOpen; ) {
      const count = rows.add(chunk, row);
      row += count;
      if (rows.frameBytes >= 128 * 1024) take();
    }
  }
  take();
  return { frames, facts: rows.facts };
}

/** The values of each column as Arrow has them, numbers as their bits, and the schema. */
async function arrowOf(columns: readonly EncodedColumn[], frames: readonly EncodedFrame[]) {
  const pause = new Pause();
  const encoder = await rowEncoder(columns, { ...chosenJson, name: 'arrow' }, '{}');
  const parts: Uint8Array[] = [];
  for (const frame of frames) parts.push(...(await encoder.rows(frame, pause)).map((part) => Buffer.from(part)));
  parts.push(...(await encoder.end('', pause)));
  const table = tableFromIPC(Buffer.concat(parts));
  const values: unknown[][] = columns.map(() => []);
  for (const batch of table.batches) {
    for (const [i, { type }] of columns.entries()) {
      const vector = batch.getChildAt(i);
      const isText = ['STRING', 'JSON', 'INTERVAL', 'BYTES'].includes(type.kind);
      for (let row = 0; row < batch.numRows; row++) {
        const isNull = vector === null || !vector.isValid(row);
        const read = isText || type.kind === 'BOOL' ? vector?.get(row) : vector?.data[0]?.values?.[row];
        values[i]?.push(isNull ? null : read instanceof Uint8Array ? Buffer.from(read).toString('hex') : read);
        // Zeros lie below a NULL, not what the engine had there.
        if (isNull && !isText && type.kind !== 'NULL' && type.kind !== 'BOOL') expect(Number(read)).toBe(0);
      }
    }
  }
  return { values, schema: String(table.schema), rowCount: table.numRows };
}

/** Expects that columns give the same Arrow as the JSON of the same rows. Each row has an SQL value for each type. */
async function expectSame(types: readonly SqlType[], rows: readonly (readonly string[])[], copies = 1): Promise<void> {
  const columns = types.map(columnOf);
  const names = columns.map((_, i) => `v${i}`).join(', ');
  const list = rows.map((row, i) => `(${[i, ...row].join(', ')})`).join(', ');
  const from = `(SELECT * FROM (VALUES ${list}) AS t(i, ${names}), range(${copies}) AS n(n)) AS r ORDER BY n, i`;
  const json = (await connection.runAndReadAll(`SELECT decode(${encodeRow(columns, 'plain')}) FROM ${from}`)).getRows();
  const { frames } = await framesOf(`SELECT ${encodeColumns(columns)} FROM ${from}`);
  const given = Buffer.from(json.map(([text]) => String(text)).join(','));
  const wanted = await arrowOf(columns, [{ kind: 'json', rows: given, ends: null }]);
  expect(await arrowOf(columns, frames)).toEqual(wanted);
  expect(wanted.rowCount).toBe(rows.length * copies);
}

const double = (text: string) => `CAST('${text}' AS DOUBLE)`;
const edges: Readonly<Record<string, readonly string[]>> = {
  INT64: ['0', '-1', '(-9223372036854775807 - 1)::BIGINT', '9223372036854775807::BIGINT', '9007199254740993'],
  FLOAT64: [
    ...['0', '-0.0', '1.5', '1e16', '1e300', '-1e-7', '9007199254740991', '9007199254740993', '0.1', '5e-324'],
    ...['1.7976931348623157e308', '0.1234567890123456', '123456789.123456789', 'nan', 'inf', '-inf'],
  ].map(double),
  BOOL: ['true', 'false'],
  TIMESTAMP: [
    '2026-05-01 10:00:00.000001',
    '0001-01-01 00:00:00',
    '9999-12-31 23:59:59.999999',
    '1969-12-31 23:59:59.5',
  ].map((text) => `TIMESTAMP '${text}'`),
  DATETIME: ['2026-05-01 10:00:00', '9999-12-31 23:59:59.5', '1600-02-29 00:00:00.000001'].map(
    (text) => `TIMESTAMP '${text}'`,
  ),
  DATE: ['2026-05-01', '0001-01-01', '9999-12-31', '1969-12-31'].map((text) => `DATE '${text}'`),
  TIME: ['10:00:00.25', '00:00:00', '23:59:59.999999', '24:00:00'].map((text) => `TIME '${text}'`),
  BYTES: [`'\\x00\\xFF'::BLOB`, `''::BLOB`, `repeat('\\xFB', 13)::BLOB`],
  INTERVAL: ['to_days(3) + to_microseconds(-1)', 'to_months(14)'],
  STRING: [
    `''`,
    `'null'`,
    `'a"b\\'`,
    `'é😀'`,
    'chr(0)',
    `repeat('é', 12)`,
    `'twelve chars'`,
    `'thirteen char'`,
    `repeat('x', 70000)`,
  ],
  JSON: [
    'null',
    'true',
    '-5',
    '12345678901234567890',
    '{"a": [1,\n2]}',
    '"\\u003d1"',
    '"null"',
    '[]',
    '1.0',
    ' [1] ',
    ' 5',
    ' null ',
  ].map((text) => `CAST(${quoteText(text)} AS JSON)`),
  NULL: [],
};
const physical: Readonly<Record<string, string>> = {
  INT64: 'BIGINT',
  FLOAT64: 'DOUBLE',
  BOOL: 'BOOLEAN',
  BYTES: 'BLOB',
  STRING: 'VARCHAR',
  DATETIME: 'TIMESTAMP',
  NULL: 'VARCHAR',
};
const kinds = Object.keys(edges);
const typeOf = (kind: string) => ({ kind }) as SqlType;
const valuesOf = (kind: string): readonly string[] => [
  ...(edges[kind] ?? []),
  `CAST(NULL AS ${physical[kind] ?? kind})`,
];

it.each(kinds)('columns of %s give the Arrow of the JSON of their rows', async (kind) => {
  await expectSame(
    [typeOf(kind)],
    valuesOf(kind).map((value) => [value]),
  );
  // Without NULLs, and over several frames.
  const known = valuesOf(kind).slice(0, Math.max(1, valuesOf(kind).length - 1));
  await expectSame(
    [typeOf(kind), typeOf(kind)],
    known.map((value) => [value, value]),
    kind === 'STRING' ? 3 : 3000,
  );
});

it('rows of any columns give the Arrow of their JSON, however many rows there are', async () => {
  const tables = fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 5 }).chain((chosen) =>
    fc.record({
      types: fc.constant(chosen.map(typeOf)),
      rows: fc.array(
        fc.tuple(...chosen.map((kind) => fc.constantFrom(...valuesOf(kind).filter((v) => !v.includes('70000'))))),
        {
          minLength: 1,
          maxLength: 20,
        },
      ),
      copies: fc.constantFrom(1, 1, 7, 300),
    }),
  );
  await fc.assert(
    fc.asyncProperty(tables, async ({ types, rows, copies }) => {
      await expectSame(types, rows, copies);
    }),
    { numRuns: 40 },
  );
});

it('texts of any length keep their bytes and NULLs', async () => {
  const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !value.includes('\0')));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 60 }), async (texts) => {
      const rows = texts.map((value) => [value === null ? 'CAST(NULL AS VARCHAR)' : quoteText(value)]);
      await expectSame([typeOf('STRING')], rows, 5);
    }),
    { numRuns: 30 },
  );
});

it('a JSON column whose values are known to be texts has their JSON', async () => {
  const column = { ...columnOf(typeOf('STRING'), 0), isJson: true };
  const { frames } = await framesOf(`SELECT ${encodeColumns([column])} FROM (VALUES ('a"b'), (NULL)) AS r(v0)`);
  expect((await arrowOf([{ ...column, type: typeOf('JSON') }], frames)).values).toEqual([['"a\\"b"', null]]);
});

it('frames end at a bound of bytes, and rows at the limits', async () => {
  const sql = `SELECT CAST(n AS BIGINT) AS n, repeat('x', CAST(n % 1000 AS BIGINT)) AS t FROM range(20000) AS t(n)`;
  const { frames, facts } = await framesOf(sql);
  expect(facts).toEqual({ rowCount: 20_000, hasMore: false, cutByBytes: false });
  for (const { rows } of frames) expect(rows.length).toBeLessThan(frameBytes + 8 * 1024);
  expect(frames.length).toBeGreaterThan(9_000_000 / frameBytes);
  const few = await framesOf(sql, 5000);
  expect(few.facts).toEqual({ rowCount: 5000, hasMore: true, cutByBytes: false });
  expect(few.frames.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(5000);
  const exact = await framesOf('SELECT CAST(n AS BIGINT) AS n FROM range(1000) AS t(n)', 1000, 8000);
  expect(exact.facts).toEqual({ rowCount: 1000, hasMore: false, cutByBytes: false });
  const short = await framesOf('SELECT CAST(n AS BIGINT) AS n FROM range(1000) AS t(n)', 1000, 7999);
  expect(short.facts).toEqual({ rowCount: 999, hasMore: false, cutByBytes: true });
  const long = await framesOf(`SELECT repeat('x', 17000000) AS t`);
  expect([long.frames, long.facts]).toEqual([[], { rowCount: 0, hasMore: false, cutByBytes: true }]);
});

it('does not hand over what the engine keeps below a NULL', async () => {
  const sql = `SELECT CASE WHEN n % 2 = 0 THEN n END AS n, CASE WHEN n % 2 = 0 THEN n > 0 END AS b, CASE WHEN n % 2 = 0 THEN repeat('secret', 5) END AS t FROM range(100) AS t(n)`;
  const { frames } = await framesOf(sql);
  const [text = ''] = frames.map(({ rows }) => Buffer.from(rows).toString('latin1'));
  expect(text.match(/secret/g)).toHaveLength(50 * 5);
  const types = (['INT64', 'BOOL', 'STRING'] as const).map(typeOf);
  const { values } = await arrowOf(types.map(columnOf), frames);
  expect(values[0]?.slice(0, 4)).toEqual([0n, null, 2n, null]);
});

it('refuses a column of another type', async () => {
  await expect(framesOf('SELECT [1] AS a')).rejects.toThrow('none of type');
});
