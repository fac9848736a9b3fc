import { existsSync, readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readParquet } from '../../../../test/support/readParquet.ts';
import { CountedTurns, everyLookEndsTurn } from '../../../../test/support/turnsTaken.ts';
import { Pause } from '../../../core/concurrency/turns.ts';
import { ServiceError } from '../../../core/errors.ts';
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
} from '../../../googlesql/types.ts';
import { TestStorage } from '../storage.fixture.ts';

let test: TestStorage;
beforeAll(async () => {
  test = await TestStorage.open();
});
afterAll(() => test.close());

const never = new AbortController().signal;

interface Column {
  readonly name: string;
  readonly type: SqlType;
}

async function write<T>(
  columns: readonly Column[],
  parts: readonly string[],
  use: (path: string) => Promise<T>,
  { signal = never, pause = new Pause() } = {},
): Promise<T> {
  const table = {
    columns,
    parts: parts.map((part) => Buffer.from(part)),
    metadata: () => new Map([['logmill', '{"request_id":"it\'s"}']]),
  };
  return await test.storage.parquet.write(table, { owner: 'token', signal, pause }, use);
}

const written = async (columns: readonly Column[], parts: readonly string[]) =>
  await readParquet(await write(columns, parts, (path) => readFile(path)));

/** JSON as rows have it, and the value as the reader writes it. */
interface Value {
  readonly json: string;
  readonly read: unknown;
}

const texts = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.oneof(
      fc.constantFrom('', '"\\\n\0\u001f', '😀é', '[REDACTED:ip]', 'NULL', "it's"),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    ),
  },
  { weight: 1, arbitrary: fc.constant('long \\ and "quoted" 😀\n'.repeat(1000)) },
);
const of = (...pairs: readonly (readonly [json: string, read: unknown])[]) =>
  fc.constantFrom(...pairs).map(([json, read]): Value => ({ json, read }));

const scalars: readonly { readonly type: SqlType; readonly name: string; readonly values: fc.Arbitrary<Value> }[] = [
  { type: STRING, name: 'VARCHAR', values: texts.map((text) => ({ json: JSON.stringify(text), read: text })) },
  {
    type: INT64,
    name: 'BIGINT',
    values: fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => ({ json: `${value}`, read: `${value}` })),
      of(['"[REDACTED:key]"', null]),
    ),
  },
  {
    type: FLOAT64,
    name: 'DOUBLE',
    values: fc.oneof(
      of(['"NaN"', 'NaN'], ['"Infinity"', 'Infinity'], ['"-Infinity"', '-Infinity'], ['"[REDACTED:x]"', null]),
      of(['9007199254740992.0', 2 ** 53], ['5e-324', 5e-324], ['1.7976931348623157e308', Number.MAX_VALUE]),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .map((value) => ({ json: JSON.stringify(value), read: value })),
    ),
  },
  { type: BOOL, name: 'BOOLEAN', values: of(['true', true], ['false', false], ['"[REDACTED:x]"', null]) },
  { type: NULL_TYPE, name: 'VARCHAR', values: of(['null', null]) },
  { type: INTERVAL, name: 'VARCHAR', values: of(['"0-0 3 0:0:0"', '0-0 3 0:0:0']) },
  {
    type: TIMESTAMP,
    name: 'TIMESTAMP WITH TIME ZONE',
    values: of(
      ['"2026-05-01T10:00:30.000123Z"', '2026-05-01 10:00:30.000123+00'],
      ['"0001-01-01T00:00:00.000001Z"', '0001-01-01 00:00:00.000001+00'],
      ['"9999-12-31T23:59:59.999999Z"', '9999-12-31 23:59:59.999999+00'],
      ['"[REDACTED:field]"', null],
    ),
  },
  {
    type: DATETIME,
    name: 'TIMESTAMP',
    values: of(
      ['"2026-05-01T10:00:30"', '2026-05-01 10:00:30'],
      ['"0001-01-01T00:00:00.500000"', '0001-01-01 00:00:00.5'],
    ),
  },
  {
    type: DATE,
    name: 'DATE',
    values: of(['"1969-12-31"', '1969-12-31'], ['"0001-01-01"', '0001-01-01'], ['"x"', null]),
  },
  { type: TIME, name: 'TIME', values: of(['"10:00:00.25"', '10:00:00.25'], ['"23:59:59"', '23:59:59']) },
  {
    type: BYTES,
    name: 'BLOB',
    values: of(['"AP8="', '\\x00\\xFF'], ['""', ''], ['"[REDACTED:key]"', null], ['"QQ"', null]),
  },
];
const json = {
  type: JSON_TYPE,
  name: 'VARCHAR',
  values: fc
    .oneof(
      fc.constantFrom('{"a":18446744073709551616,"b":[1.10,null]}', '"text"', '1.50', 'true', '{"A":1,"a":2}'),
      texts.map((text) => JSON.stringify({ [text]: [text] })),
    )
    .map((value): Value => ({ json: value, read: value })),
};

const orNull = (values: fc.Arbitrary<Value>) => fc.option(values, { freq: 4, nil: { json: 'null', read: null } });
const typed = fc.constantFrom(...scalars).chain(({ type, name, values }) =>
  fc.constantFrom(
    { type, name, values },
    {
      type: arrayOf(type),
      name: `${name}[]`,
      values: fc
        .array(orNull(values), { maxLength: 4 })
        .map((all) => ({ json: `[${all.map((each) => each.json).join(',')}]`, read: all.map(({ read }) => read) })),
    },
    {
      type: structOf([
        { name: 'a"b', type },
        { name: '', type: arrayOf(structOf([{ name: 'c', type }])) },
      ]),
      name: `STRUCT("a""b" ${name}, _field_2 STRUCT(c ${name})[])`,
      values: orNull(values).map((value) => ({
        json: `{"a\\"b":${value.json},"_field_2":[{"c":${value.json}},null]}`,
        read: { 'a"b': value.read, _field_2: [{ c: value.read }, null] },
      })),
    },
  ),
);

describe('a Parquet file', () => {
  it('has what the rows have, with types of its own, as DuckDB reads it', async () => {
    const tables = fc.array(fc.oneof(typed, fc.constant(json)), { minLength: 4, maxLength: 12 }).chain((columns) =>
      fc.record({
        columns: fc.constant(columns),
        rows: fc.array(fc.tuple(...columns.map(({ values }) => orNull(values))), { maxLength: 8 }),
        // More than one batch, and more than one chunk of the engine.
        copies: fc.constantFrom(1, 1, 300),
      }),
    );
    await fc.assert(
      fc.asyncProperty(tables, async ({ columns, rows, copies }) => {
        const named = columns.map(({ type }, i) => ({ name: `c "${i}"`, type }));
        const part = rows
          .map((row) => `{${row.map((value, i) => `${JSON.stringify(`c "${i}"`)}:${value.json}`).join(',')}}`)
          .join(',');
        const parts = Array.from({ length: copies }, () => part);
        const file = await written(named, parts);
        expect(file.columns).toEqual(columns.map(({ name }, i) => [`c "${i}"`, name]));
        expect(file.metadata).toEqual(new Map([['logmill', '{"request_id":"it\'s"}']]));
        const expected = rows.map((row) => row.map(({ read }) => read));
        expect(file.rows.length).toBe(copies * rows.length);
        for (const at of [0, file.rows.length - rows.length]) {
          expect(file.rows.slice(at, at + rows.length)).toEqual(expected);
        }
      }),
      { numRuns: 8 },
    );
  });

  it('keeps names that differ only in case, and structs with such members as JSON', async () => {
    const columns = [
      { name: 'a', type: INT64 },
      { name: 'A', type: STRING },
      {
        name: 's',
        type: structOf([
          { name: 'x', type: INT64 },
          { name: 'X', type: INT64 },
        ]),
      },
    ];
    const file = await written(columns, ['{"a":1,"A":"b","s":{"x":1,"X":2}}']);
    expect(file.columns.map(([, type]) => type)).toEqual(['BIGINT', 'VARCHAR', 'VARCHAR']);
    expect(file.rows).toEqual([['1', 'b', '{"x":1,"X":2}']]);
  });

  it('has only NULL where a list or struct was replaced by a mark', async () => {
    const file = await written([{ name: 'l', type: arrayOf(STRING) }], ['{"l":"[REDACTED:email]"}', '{"l":["a"]}']);
    expect(file.rows).toEqual([[null], [['a']]]);
  });

  it('is for no one else, and gone afterwards, even if its use fails', async () => {
    let folder = '';
    await expect(
      write([{ name: 'n', type: INT64 }], ['{"n":1}'], async (path) => {
        folder = dirname(path);
        expect((await stat(path)).mode & 0o077).toBe(0);
        throw new Error('used');
      }),
    ).rejects.toThrow('used');
    expect(existsSync(folder)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.startsWith('parquet-'))).toEqual([]);
  });

  it('ends with the reason of its caller, and the next one is written', async () => {
    const abort = new AbortController();
    const reason = new ServiceError('query.cancelled', 'The caller closed the connection.');
    abort.abort(reason);
    const columns = [{ name: 'n', type: INT64 }];
    await expect(write(columns, ['{"n":1}'], async () => {}, { signal: abort.signal })).rejects.toBe(reason);
    expect((await written(columns, ['{"n":1}'])).rows).toEqual([['1']]);
  });

  it('is restarting if the engine ends meanwhile, and later calls have another engine', async () => {
    const columns = [{ name: 'n', type: INT64 }];
    const table = {
      columns,
      parts: (async function* () {
        yield Buffer.from('{"n":1}');
        await test.killEngine();
      })(),
      metadata: () => new Map<string, string>(),
    };
    const call = { owner: 'token', signal: never, pause: new Pause() };
    await expect(test.storage.parquet.write(table, call, async () => {})).rejects.toMatchObject({
      code: 'engine.restarting',
    });
    expect((await written(columns, ['{"n":2}'])).rows).toEqual([['2']]);
  });

  it('is written in turns, within one long value too', async () => {
    const columns = [
      { name: 't', type: STRING },
      { name: 'l', type: arrayOf(INT64) },
    ];
    const rows = [`{"t":"${'\\"x\\n'.repeat(50_000)}","l":[${'1,'.repeat(100_000)}2]}`];
    const turns = new CountedTurns(everyLookEndsTurn());
    await write(columns, rows, async () => {}, { pause: new Pause(turns) });
    expect(turns.taken).toBeGreaterThan(20);
  });
});
