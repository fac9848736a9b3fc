import { BIGINT, BOOLEAN, DOUBLE, DuckDBInstance, type DuckDBType, type DuckDBValue, VARCHAR } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { binaryRow } from '../../../../test/support/binaryRows.ts';
import type { ScalarTypeName, SqlType } from '../../../googlesql/types.ts';
import type { ValuesProfile } from '../../../ports/queryEngine.ts';
import { encodeRow } from '../../duckdb/emit/encodeRow.ts';
import { convertTyped } from '../../duckdb/emit/jsonRead.ts';
import { fetchedSql, type Transport } from '../emit/fetch.ts';
import { JsonBytes } from './jsonBytes.ts';
import { memberFloat, valueWriter } from './jsonValues.ts';
import { UnreadableAnswer } from './rowBinary.ts';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();

type Value = string | bigint | number | boolean;

/** What DuckDB writes for values that were fetched. */
async function byDuckDb(
  type: SqlType,
  transport: Transport,
  profile: ValuesProfile,
  sent: DuckDBType,
  values: readonly Value[],
): Promise<readonly string[]> {
  const isJson = type.kind === 'JSON';
  const row = encodeRow([{ name: 'x', type, sql: 'r.v', isFinite: false, isJson }], profile);
  const read = fetchedSql({ column: { id: 1, name: 'x', type }, name: 'out_0', transport, personal: null });
  const rows = values.map((_, i) => `(${i}, $${i + 1})`).join(', ');
  const result = await connection.runAndReadAll(
    `SELECT decode(${row}) FROM (SELECT n, ${read} AS v FROM (VALUES ${rows}) AS s(n, out_0)) AS r ORDER BY n`,
    values as DuckDBValue[],
    values.map(() => sent),
  );
  return result.getRows().map(([text]) => String(text));
}

/** What DuckDB writes for values of a typed column of type FLOAT64, read as JSON. */
async function membersByDuckDb(values: readonly number[]): Promise<readonly string[]> {
  const rows = values.map((_, i) => `(${i}, $${i + 1})`).join(', ');
  const result = await connection.runAndReadAll(
    `SELECT CAST(${convertTyped({ kind: 'FLOAT64' }, 'v', 'JSON')} AS VARCHAR) FROM (VALUES ${rows}) AS s(n, v) ORDER BY n`,
    [...values],
    values.map(() => DOUBLE),
  );
  return result.getRows().map(([each]) => String(each));
}

function written(type: SqlType, transport: Transport, profile: ValuesProfile, values: readonly Value[]) {
  const write = valueWriter(type, transport, profile);
  if (write === null) throw new Error('the type has no writer');
  return values.map((value) => {
    const json = new JsonBytes();
    write(binaryRow([typeof value === 'string' ? Buffer.from(value) : value]), 0, json);
    return `{"x":${json.bytes.toString('utf8', 0, json.length)}}`;
  });
}

const micros = fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n });
const text = fc.string({ unit: 'binary', maxLength: 40 }).map((each) => each.toWellFormed());
const odd = fc.constantFrom(
  '\u0000',
  '\u001f\u007f',
  '\\u00ab',
  '\\\\u001f',
  '"',
  '/',
  '\u2028',
  '\ufeff',
  '😀',
  '\b\f\n\r\t',
);
const scalar = fc.oneof(
  text.map((each) => `s${each}`),
  fc.constantFrom('v1', 'vtrue', 'v1.50', 'v-0', 'v1e5', 'v[1]'),
);
/** Numbers near the bounds between one way to write them and another. */
const edges = fc.constantFrom(
  0.1,
  1e-4,
  9.999e-5,
  1e-5,
  1.5e-5,
  123456.789,
  2 ** 53,
  2 ** 53 - 1,
  -(2 ** 53),
  9999999999999998,
  1e16,
  1.5e16,
  1e15 + 0.5,
  1e21,
  1e22,
  1.7976931348623157e308,
  5e-324,
  -0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
);

const cases: readonly (readonly [ScalarTypeName, Transport, DuckDBType, fc.Arbitrary<Value>])[] = [
  ['STRING', 'plain', VARCHAR, fc.oneof(text, odd)],
  ['INT64', 'plain', BIGINT, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })],
  [
    'FLOAT64',
    'plain',
    DOUBLE,
    fc.oneof(
      fc.double(),
      edges,
      fc.integer().map((each) => each / 1000),
    ),
  ],
  ['BOOL', 'plain', BOOLEAN, fc.boolean()],
  ['TIMESTAMP', 'micros', BIGINT, micros],
  [
    'DATETIME',
    'micros',
    BIGINT,
    fc.oneof(
      micros,
      micros.map((each) => (each / 1_000_000n) * 1_000_000n),
    ),
  ],
  ['DATE', 'days', BIGINT, fc.bigInt({ min: -719_162n, max: 2_932_896n })],
  ['JSON', 'json', VARCHAR, fc.json()],
  ['JSON', 'scalar', VARCHAR, scalar],
];

it.each(cases)('writes a %s that comes as %s like DuckDB', async (kind, transport, sent, values) => {
  const type: SqlType = { kind };
  await fc.assert(
    fc.asyncProperty(
      fc.array(values, { minLength: 1, maxLength: 200 }),
      fc.constantFrom<ValuesProfile>('plain', 'records'),
      async (sample, profile) => {
        expect(written(type, transport, profile, sample)).toEqual(
          await byDuckDb(type, transport, profile, sent, sample),
        );
      },
    ),
    { numRuns: 40 },
  );
});

it('writes a member of type FLOAT64 like DuckDB', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.double(), edges).filter(Number.isFinite), { minLength: 1, maxLength: 200 }),
      async (sample) => {
        const texts = sample.map((value) => {
          const json = new JsonBytes();
          memberFloat(binaryRow([value]), 0, json);
          return json.bytes.toString('utf8', 0, json.length);
        });
        expect(texts).toEqual(await membersByDuckDb(sample));
      },
    ),
    { numRuns: 40 },
  );
});

it('leaves types to DuckDB that it does not write', () => {
  for (const kind of ['TIME', 'BYTES', 'INTERVAL', 'NULL'] as const)
    expect(valueWriter({ kind }, 'plain', 'plain')).toBeNull();
  expect(valueWriter({ kind: 'ARRAY', element: { kind: 'INT64' } }, 'plain', 'plain')).toBeNull();
  expect(valueWriter({ kind: 'STRING' }, 'scalar', 'plain')).toBeNull();
});

it('leaves times and dates to DuckDB that are not from year 1 to 9999', () => {
  const write = (kind: ScalarTypeName, transport: Transport, value: bigint) =>
    written({ kind }, transport, 'plain', [value]);
  const [first, last] = [-719_162n, 2_932_896n];
  const day = 86_400_000_000n;
  expect(write('DATE', 'days', first)).toEqual(['{"x":"0001-01-01"}']);
  expect(write('DATE', 'days', last)).toEqual(['{"x":"9999-12-31"}']);
  for (const days of [first - 1n, last + 1n, 2n ** 63n / day])
    expect(() => write('DATE', 'days', days)).toThrow(UnreadableAnswer);
  for (const kind of ['TIMESTAMP', 'DATETIME'] as const)
    for (const time of [first * day - 1n, (last + 1n) * day, 2n ** 63n - 1n, -(2n ** 63n)])
      expect(() => write(kind, 'micros', time)).toThrow(UnreadableAnswer);
});

it('writes no value of another kind than the statement gave its column, and no NULL', () => {
  const write = valueWriter({ kind: 'INT64' }, 'plain', 'plain');
  for (const value of [Buffer.from('12345678'), 1.5, true, null])
    expect(() => write?.(binaryRow([value]), 0, new JsonBytes())).toThrow(UnreadableAnswer);
});
