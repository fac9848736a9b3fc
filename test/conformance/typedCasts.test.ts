import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/core/jsonValue.ts';
import { parseJson } from '../../src/core/losslessJson.ts';
import { writeJson } from '../../src/core/writeJson.ts';
import { compileCaller } from '../../src/googlesql/compile.ts';
import { hotCells } from '../../src/ingest/hotCells.ts';
import type { QueryEngine } from '../../src/ports/queryEngine.ts';
import type { StorageHarness } from '../../src/ports/storageHarness.contract.ts';
import { shapeOf } from '../../src/sources/shape.ts';
import type { Source } from '../../src/sources/source.ts';
import { engineUnderTest, never, onEngine } from '../support/enginesUnderTest.ts';

/** The same events twice: with a typed column for the member of each kind, and in metadata alone. */
const sources: readonly Source[] = ['typed', 'plain'].map((name) => ({
  name,
  projectField: { kind: 'column' },
  shape: shapeOf({ text: 's', whole: 'n', number: 'n' }),
  hotColumns:
    name === 'plain'
      ? []
      : [
          { column: 'text', path: ['text'], kind: 'string' },
          { column: 'whole', path: ['whole'], kind: 'int64' },
          { column: 'number', path: ['number'], kind: 'float64' },
        ],
}));
const members = ['text', 'whole', 'number'] as const;

const stored = `with ${sources.map(({ name }) => `${name} as (select id, metadata, project from sources.${name})`).join(', ')} select 1`;

const types = ['string', 'int64', 'float64', 'bool', 'timestamp', 'datetime', 'date', 'time'];
const readers = ['json_value', 'json_extract_scalar', 'lax_string', 'lax_int64', 'lax_float64', 'lax_bool'];
const strictReaders = ['string', 'int64', 'float64', 'bool'];
const numbers = ['safe_cast(v as float64)', 'cast(safe_cast(v as int64) as float64)', 'lax_float64(v)', 'v'];

/** All that gives a value for each event, and no error. */
const perEvent = [
  ...types.flatMap((type) => [`safe_cast(v as ${type})`, `safe_cast(v as ${type}) is null`]),
  ...readers.map((name) => `${name}(v)`),
  ...strictReaders.map((name) => `safe.${name}(v)`),
  "json_value(v, '$')",
  "json_value(v, '$.a')",
  'safe_cast(v as float64) > 400',
  'safe_cast(v as float64) >= 400.5 or 7 > safe_cast(v as float64)',
  'safe_cast(v as float64) = safe_cast(v as int64)',
  'safe_cast(v as float64) in (200, 1e300, safe_cast(v as int64))',
  'safe_cast(v as int64) between 100 and 199',
  "lower(safe_cast(v as string)) = 'nan'",
  'safe_cast(v as float64) * 0.5 + 1',
  'v',
  'to_json_string(v)',
  'lower(v)',
  "concat(v, '')",
  "v like '%e%'",
  'cast(safe_cast(v as float64) as string)',
  '[v]',
  'struct(v as x)',
];
const ofAll = [
  ...numbers.flatMap((n) => ['min', 'max', 'count', 'approx_count_distinct'].map((name) => `${name}(${n})`)),
  ...numbers.map((n) => `approx_quantiles(${n}, 4)`),
  'approx_quantiles(safe_cast(v as float64), 100)[offset(95)]',
  'array_agg(safe_cast(v as float64) ignore nulls order by safe_cast(v as float64) desc)',
  'string_agg(safe_cast(v as string), "," order by safe_cast(v as string))',
  'countif(safe_cast(v as int64) >= 400)',
  'max(v) > 400',
  'min(v) is null',
  'max(v) + 1',
  'safe_cast(max(v) as int64)',
  'any_value(v) is null',
];
const mayFail = [
  ...types.map((type) => `count(cast(v as ${type}))`),
  ...strictReaders.map((name) => `count(${name}(v))`),
  ...['avg', 'sum', 'stddev', 'var_pop'].flatMap((name) => numbers.slice(0, 3).map((n) => `${name}(${n})`)),
];

const knownTexts = [
  ...['', 'x', ' 12 ', '0x1F', '-0', '1e3', '1_000', 'nan', 'inf', '-Infinity', 'TRUE', 'false', 'null', '"', '\\'],
  ...['2026-05-01', '2026-05-01T10:00:00+02:00', '10:11:12', '1-2 3 4:5:6', '9223372036854775808', '2.5', '404'],
];
const knownWholes = [0n, 200n, 404n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 10n ** 18n];
const knownFractions = [
  ...[-0, 0.1, 2.5, -2.5, 46.5, 0.0001, 0.00001, -0.00001234, 1e-7, 5e-324, 1e15, 1e15 + 0.125, 2 ** 53],
  ...[1e16, 1e17, 2 ** 63, 1e20, 1e21, 1e22, 1e300, Number.MAX_VALUE, -1e300],
];
const texts = fc.oneof(
  fc.constantFrom(...knownTexts),
  fc.integer().map(String),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const wholes = fc.oneof(
  fc.constantFrom(...knownWholes),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.integer({ min: -600, max: 600 }).map(BigInt),
);
const fractions = fc.oneof(
  fc.constantFrom(...knownFractions),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 }),
);
const others = fc.constantFrom<JsonValue>(null, true, false, [], [1], {}, { a: 1 }, [{ a: '1' }]);
/** Values that a column holds for the most part, and of every other kind. */
const batches = fc.constantFrom(...members).chain((member) => {
  const own: fc.Arbitrary<JsonValue> =
    member === 'text' ? texts : member === 'whole' ? wholes : fc.oneof(fractions, wholes);
  const nothing = fc.constantFrom(null, undefined);
  const regular = fc.array(fc.oneof({ weight: 6, arbitrary: own }, nothing), { minLength: 1, maxLength: 6 });
  const any = fc.array(fc.oneof(texts, wholes, fractions, others, nothing), { minLength: 1, maxLength: 6 });
  return fc.record({
    member: fc.constant(member),
    values: fc.oneof({ weight: 4, arbitrary: regular }, { weight: 1, arbitrary: any }),
  });
});

const examples: [{ member: (typeof members)[number]; values: JsonValue[] }][] = [
  [{ member: 'text', values: [...knownTexts, null] }],
  [{ member: 'whole', values: [...knownWholes, null] }],
  [{ member: 'number', values: [...knownFractions, 404n, null] }],
  [{ member: 'number', values: [...knownFractions, 2n ** 53n + 1n, 'nan', '7', true] }],
];

describe(onEngine('a cast of what a typed column holds says what a cast of the nested value says'), () => {
  let test: StorageHarness;
  let engine: QueryEngine;
  let projects = 0;
  beforeAll(async () => {
    test = await engineUnderTest.open({ sources });
    engine = test.engine.queries;
  });
  afterAll(async () => {
    await test.close();
  });

  const append = async (member: string, values: readonly (JsonValue | undefined)[]): Promise<string> => {
    projects += 1;
    const project = `p${projects}`;
    for (const source of sources) {
      const events = values.map((value, i) => {
        const metadata = parseJson(writeJson(value === undefined ? {} : { [member]: value })) as {
          [k: string]: JsonValue;
        };
        const cells = hotCells(metadata, source.hotColumns);
        return {
          id: `e${i}`,
          timestampMicros: test.clock.nowMicros(),
          project,
          eventMessage: '',
          metadata: writeJson(metadata),
          hot: cells.values,
          irregular: cells.irregular,
        };
      });
      await test.engine.log.append({ source: source.name, events, identity: null });
    }
    return project;
  };

  const answer = async (sql: string, project: string): Promise<unknown> => {
    const query = compileCaller(sql, stored, {
      sources: new Map(sources.map((s) => [s.name, s])),
      parameters: new Map(),
    });
    try {
      const result = await engine.run(
        {
          query,
          parameters: new Map(),
          projects: [project],
          redaction: null,
          nowMicros: test.clock.nowMicros(),
          rowsMax: 100,
          bytesMax: 2 ** 24,
          profile: 'plain',
        },
        never,
      );
      return parseJson(`[${Buffer.from(result.rows).toString()}]`);
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
  };

  /** Both answers of a query, `v` standing for the member. */
  const bothAnswers = async (sql: (table: string) => string, member: string, project: string) => {
    const [typed, plain] = await Promise.all(
      sources.map(({ name }) => answer(sql(name).replaceAll(/\bv\b/g, `metadata.${member}`), project)),
    );
    return { typed, plain };
  };

  it('for values of every kind', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async ({ member, values }) => {
        const project = await append(member, values);
        const queries = [
          (table: string) =>
            `select id, ${perEvent.map((e, i) => `${e} as r${i}`).join(', ')} from ${table} order by id`,
          (table: string) => `select ${ofAll.map((e, i) => `${e} as r${i}`).join(', ')} from ${table}`,
          (table: string) =>
            `select safe_cast(v as float64) as k, count(*) as n from ${table} group by k order by k desc`,
          (table: string) =>
            `select x, y, x = y as z, x + 0 as w from (select min(v) as x, max(v) as y from ${table} group by id having max(v) is not null) order by x, y`,
          (table: string) =>
            `select max(x) as a from (select max(v) as x from ${table} union all select min(v) from ${table}) where x != 7`,
          (table: string) =>
            `select (select max(v) from ${table}) as a, array(select min(v) from ${table} group by id order by 1) as b`,
          (table: string) => `select id from ${table} order by safe_cast(v as float64) desc, safe_cast(v as int64), id`,
        ];
        for (const query of queries) {
          const { typed, plain } = await bothAnswers(query, member, project);
          expect(plain).toBeInstanceOf(Array);
          expect(typed).toEqual(plain);
        }
        for (const expr of mayFail) {
          const { typed, plain } = await bothAnswers((table) => `select ${expr} as r from ${table}`, member, project);
          expect([expr, typed]).toEqual([expr, plain]);
        }
      }),
      { numRuns: 12, examples },
    );
  });

  it.each<[sql: string, expected: unknown]>([
    ['select min(n) as a, max(n) as b from (select ifnull(v, nan) as n from t)', [{ a: 'NaN', b: 'NaN' }]],
    ['select min(n) as a, max(n) as b from (select if(v > 2, v, nan) as n from t)', [{ a: 'NaN', b: 'NaN' }]],
    [
      'select sum(n) as a, avg(n) as b from (select coalesce(v, -inf) as n from t)',
      [{ a: '-Infinity', b: '-Infinity' }],
    ],
    [
      'select stddev(n) as a, min(-n) as b from (select case when v is null then inf else v end as n from t)',
      [{ a: 'NaN', b: '-Infinity' }],
    ],
    ['select coalesce(v, nan) as n from t order by n desc', [{ n: 3 }, { n: 1.5 }, { n: 'NaN' }]],
    [
      'select n, count(*) as c from (select coalesce(v, nan) as n from t) group by n order by n',
      [
        { n: 'NaN', c: 1 },
        { n: 1.5, c: 1 },
        { n: 3, c: 1 },
      ],
    ],
    [
      'select x > n as a, n > x as b, n in (x, 7) as c, 3.0 in (n, x) as d, n > 2 as e, n = n as f from (select id, v as x, coalesce(v, nan) as n from t) order by id',
      [
        { a: false, b: false, c: true, d: false, e: false, f: true },
        { a: false, b: false, c: true, d: true, e: true, f: true },
        { a: null, b: null, c: null, d: null, e: false, f: false },
      ],
    ],
    ['select sum(v * 1e308) as a from t', expect.stringContaining('beyond the range of FLOAT64')],
    ['select sum(w) as a from (select v, 6e307 * 2 as w from t)', expect.stringContaining('adds up to more')],
    [
      'select sum(v) as a, min(v) as b, max(v) as c, avg(v) as d from t where v > 5',
      [{ a: null, b: null, c: null, d: null }],
    ],
  ])('knows which numbers may be none: %s', async (sql, expected) => {
    const project = await append('number', [1.5, 3, undefined]);
    const text = sql
      .replaceAll(/(-?)\b(nan|inf)\b/g, "cast('$1$2' as float64)")
      .replaceAll(/\bv\b/g, 'safe_cast(metadata.number as float64)');
    for (const table of ['typed', 'plain']) {
      expect(await answer(text.replaceAll(/\bt\b/g, table), project)).toEqual(expected);
    }
  });
});
