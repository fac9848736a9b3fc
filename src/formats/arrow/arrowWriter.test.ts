import { type RecordBatch, tableFromIPC, type Vector } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { everyLookEndsTurn, turnsTaken } from '../../../test/support/turnsTaken.ts';
import { Pause, Turns } from '../../core/concurrency/turns.ts';
import { parseJson } from '../../core/losslessJson.ts';
import { writeJson } from '../../core/writeJson.ts';
import {
  arrayOf,
  BOOL,
  BYTES,
  DATE,
  DATETIME,
  FLOAT64,
  INT64,
  INTERVAL,
  JSON_TYPE,
  NULL_TYPE,
  type SqlType,
  STRING,
  structOf,
  TIME,
  TIMESTAMP,
} from '../../googlesql/types.ts';
import { encodeResult } from '../encodeResult.ts';
import { chosenJson, type FormatColumn } from '../resultFormat.ts';
import { arrowColumn } from './arrowColumn.ts';

/** JSON as rows have it, and what a reader of Arrow must get. */
interface Value {
  readonly json: string;
  readonly read: unknown;
}

const texts = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.oneof(
      fc.constantFrom('', '"\\\n\0\u001f', '😀é', '[REDACTED:ip]'),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    ),
  },
  { weight: 1, arbitrary: fc.constant('long \\ and "quoted" 😀\n'.repeat(1000)) },
);
const of = (...pairs: readonly (readonly [json: string, read: unknown])[]) =>
  fc.constantFrom(...pairs).map(([json, read]): Value => ({ json, read }));
const micros = (text: string, more = 0n) => BigInt(Date.parse(text)) * 1000n + more;

const scalars: readonly { readonly type: SqlType; readonly values: fc.Arbitrary<Value> }[] = [
  { type: STRING, values: texts.map((text) => ({ json: JSON.stringify(text), read: text })) },
  {
    type: INT64,
    values: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => ({ json: `${value}`, read: value })),
  },
  {
    type: FLOAT64,
    values: fc.oneof(
      of(['"NaN"', Number.NaN], ['"Infinity"', Number.POSITIVE_INFINITY], ['"-Infinity"', Number.NEGATIVE_INFINITY]),
      of(['9007199254740992.0', 2 ** 53], ['"[REDACTED:x]"', null]),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .map((value) => ({ json: JSON.stringify(value), read: value === 0 ? 0 : value })),
    ),
  },
  { type: BOOL, values: of(['true', true], ['false', false]) },
  { type: NULL_TYPE, values: of(['null', null]) },
  { type: INTERVAL, values: of(['"0-0 3 0:0:0"', '0-0 3 0:0:0']) },
  {
    type: JSON_TYPE,
    values: fc
      .oneof(
        texts,
        fc.array(texts, { maxLength: 3 }),
        fc.dictionary(texts, fc.boolean()),
        fc.bigInt({ min: 0n, max: 2n ** 63n }),
      )
      .map((value) => ({ json: writeJson(value as never), read: parseJson(writeJson(value as never)) })),
  },
];

const times: typeof scalars = [
  {
    type: TIMESTAMP,
    values: of(
      ['"2026-05-01T10:00:30.000123Z"', micros('2026-05-01T10:00:30Z', 123n)],
      ['"0001-01-01T00:00:00.000001Z"', micros('0001-01-01T00:00:00Z', 1n)],
      ['"9999-12-31T23:59:59.999999Z"', micros('9999-12-31T23:59:59Z', 999_999n)],
      ['"[REDACTED:field]"', null],
    ),
  },
  {
    type: DATETIME,
    values: of(
      ['"2026-05-01T10:00:30"', micros('2026-05-01T10:00:30Z')],
      ['"2026-05-01T10:00:30.5"', micros('2026-05-01T10:00:30.5Z')],
    ),
  },
  { type: DATE, values: of(['"1969-12-31"', -1], ['"2000-01-01"', 10_957], ['"x"', null]) },
  { type: TIME, values: of(['"10:00:00.25"', 36_000_250_000n], ['"23:59:59"', 86_399_000_000n]) },
  { type: BYTES, values: of(['"AP8="', '00ff'], ['""', ''], ['"[REDACTED:key]"', null]) },
];

const orNull = (values: fc.Arbitrary<Value>) => fc.option(values, { freq: 4, nil: { json: 'null', read: null } });
const typed = fc.constantFrom(...scalars).chain(({ type, values }) =>
  fc.constantFrom(
    { type, values },
    {
      type: arrayOf(type),
      values: fc
        .array(orNull(values), { maxLength: 4 })
        .map((all) => ({ json: `[${all.map(({ json }) => json).join(',')}]`, read: all.map(({ read }) => read) })),
    },
    {
      type: structOf([
        { name: 'a', type },
        { name: 'f1_', type: arrayOf(INT64) },
      ]),
      values: orNull(values).map(({ json, read }) => ({
        json: `{"a":${json},"f1_":[1,null]}`,
        read: { a: read, f1_: [1n, null] },
      })),
    },
  ),
);
const anyColumn = fc.oneof(typed, fc.constantFrom(...times));

/** The value as the library reads it: times as they are stored, because its own are rounded to milliseconds. */
function readAt(column: Vector, batches: readonly RecordBatch[], name: string, type: SqlType, row: number): unknown {
  let at = row;
  for (const batch of batches) {
    if (at >= batch.numRows) {
      at -= batch.numRows;
      continue;
    }
    if (!column.isValid(row)) return null;
    const data = batch.getChild(name)?.data[0];
    if (['TIMESTAMP', 'DATETIME', 'TIME', 'DATE'].includes(type.kind)) return data?.values[at];
    return plain(column.get(row), type);
  }
  throw new Error('no such row');
}

function plain(value: unknown, type: SqlType): unknown {
  if (value === null) return null;
  switch (type.kind) {
    case 'JSON':
      return parseJson(String(value));
    case 'BYTES':
      return Buffer.from(value as Uint8Array).toString('hex');
    case 'ARRAY':
      return [...(value as Iterable<unknown>)].map((each) => plain(each, type.element));
    case 'STRUCT': {
      const { a, f1_ } = value as Record<string, unknown>;
      return { a: plain(a, type.fields[0]?.type ?? NULL_TYPE), f1_: plain(f1_, arrayOf(INT64)) };
    }
    default:
      return value;
  }
}

const encoded = (columns: readonly FormatColumn[], rows: readonly string[], pause = new Pause()) =>
  encodeResult(
    {
      endpointName: 'e',
      columns,
      rows: Buffer.from(rows.join(',')),
      rowCount: rows.length,
      asOfMicros: 0,
      meta: '{"request_id":"r"}',
      remarks: [],
    },
    { ...chosenJson, name: 'arrow' },
    pause,
  );

describe('an Arrow stream', () => {
  it('has what the rows have, with types of its own, as the library of Arrow reads it', async () => {
    const tables = fc.array(anyColumn, { minLength: 1, maxLength: 6 }).chain((columns) =>
      fc.record({
        types: fc.constant(columns.map(({ type }) => type)),
        rows: fc.array(fc.tuple(...columns.map(({ values }) => orNull(values))), { maxLength: 8 }),
        // More than one batch.
        copies: fc.constantFrom(1, 1, 1, 1, 80),
      }),
    );
    await fc.assert(
      fc.asyncProperty(tables, async ({ types, rows, copies }) => {
        const columns = types.map((type, i) => ({ name: `c${i}`, type }));
        const json = rows.map((row) => `{${row.map((value, i) => `"c${i}":${value.json}`).join(',')}}`);
        const all = Array.from({ length: copies }, () => json).flat();
        const table = tableFromIPC(await encoded(columns, all));
        expect(table.numRows).toBe(all.length);
        expect(table.schema.metadata.get('logmill')).toBe('{"request_id":"r"}');
        expect(table.schema.fields.map(({ name }) => name)).toEqual(columns.map(({ name }) => name));
        for (const [i, { name, type }] of columns.entries()) {
          const vector = table.getChild(name);
          if (vector === null) throw new Error(`no column ${name}`);
          const readRow = (row: number) => readAt(vector, table.batches, name, type, row);
          expect(rows.map((_, row) => readRow(row))).toEqual(rows.map((row) => row[i]?.read));
          const last = all.length - rows.length;
          expect(rows.map((_, row) => readRow(last + row))).toEqual(rows.map((row) => row[i]?.read));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('names the types that readers need: time zone, unit, and JSON as an extension', async () => {
    const types = {
      t: TIMESTAMP,
      d: DATETIME,
      j: JSON_TYPE,
      l: arrayOf(STRING),
      s: structOf([{ name: 'a', type: DATE }]),
    };
    const columns = Object.entries(types).map(([name, type]) => ({ name, type }));
    const { schema, numRows } = tableFromIPC(await encoded(columns, []));
    expect(numRows).toBe(0);
    expect(schema.fields.map(({ type }) => String(type))).toEqual([
      'Timestamp<MICROSECOND, UTC>',
      'Timestamp<MICROSECOND>',
      'Utf8',
      'List<Utf8>',
      'Struct<{a:Date32<DAY>}>',
    ]);
    expect(schema.fields[2]?.metadata.get('ARROW:extension:name')).toBe('arrow.json');
  });

  it('collects each level of nested types once', () => {
    const nested = (depth: number): SqlType =>
      depth === 0 ? STRING : structOf([{ name: 'a', type: arrayOf(nested(depth - 1)) }]);
    const allocate = vi.spyOn(Buffer, 'allocUnsafe');
    const buffersOf = (depth: number): number => {
      allocate.mockClear();
      arrowColumn(nested(depth));
      return allocate.mock.calls.length;
    };
    const [one, two, eight] = [buffersOf(1), buffersOf(2), buffersOf(8)];
    allocate.mockRestore();
    expect(two).toBeGreaterThan(one);
    expect(eight - two).toBe(6 * (two - one));
  });

  it('is written in turns, within one long value too', async () => {
    const columns = [
      { name: 't', type: STRING },
      { name: 'l', type: arrayOf(INT64) },
    ];
    const rows = [`{"t":"${'\\"x\\n'.repeat(50_000)}","l":[${'1,'.repeat(100_000)}2]}`];
    const pause = new Pause(new Turns(everyLookEndsTurn()));
    expect(await turnsTaken(() => encoded(columns, rows, pause))).toBeGreaterThan(30);
  });
});
