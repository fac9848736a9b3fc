import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { compileCaller, compileStored } from '../../src/googlesql/compile.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import { FuzzLog } from './finding.ts';
import { engineTextIn, readsOutside, SqlFuzz } from './sqlFuzz.ts';
import { TypedQueries } from './typedQuery.ts';

let log: FuzzLog;
let fuzz: SqlFuzz;
beforeAll(async () => {
  log = new FuzzLog(() => undefined);
  fuzz = await SqlFuzz.open(log);
});
afterAll(async () => {
  await fuzz.close();
});

const nested = 'edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as r';

/** What the fuzzer found. Each was answered as a failure of the engine. */
const found: readonly (readonly [what: string, text: string])[] = [
  ['a window function with a count out of range', 'select ntile(0) over (order by timestamp) as w from edge_logs'],
  ['NTH_VALUE before the first', 'select nth_value(id, 0) over (order by timestamp) as w from edge_logs'],
  ['LEAD with an offset of NULL', 'select lead(id, null) over (order by timestamp) as w from edge_logs'],
  ['a percentile beyond 1', 'select percentile_cont(1.0, 1.5) over () as w from edge_logs'],
  ['too many quantiles in a window', 'select approx_quantiles(id, 9223372036854775807) over () as w from edge_logs'],
  ['a sum of intervals', 'select sum(interval 1 day) as s from edge_logs'],
  [
    'an order by a text literal over ROLLUP',
    `select r.method, count(*) as n from ${nested} group by rollup(r.method) order by '%404%'`,
  ],
  ['a constant time beyond the year 9999', 'select timestamp_micros(9223372036854775807) as t from edge_logs'],
  [
    'a pattern from a subquery beside a position',
    `select regexp_extract(id, (select max(e) from unnest(['a']) as e), 2) as x from edge_logs where starts_with(id, id)`,
  ],
  [
    'NULLIF of an outer column inside a call that names its arguments',
    `select (select greatest(concat(${Array.from({ length: 12 }, () => 't.event_message').join(', ')}), nullif('a', t.id))) as x from edge_logs as t`,
  ],
  [
    'a frame measured along a subquery',
    'select count(*) over (order by (select max(e) from unnest([1, 2]) as e) range between 1 preceding and 2 following) as w from edge_logs',
  ],
  [
    'a length of bytes and NULL',
    "select length(concat(cast(null as bytes), b'a')) as l, octet_length(b'a' || cast(null as bytes)) as m",
  ],
  [
    'a cast of what a macro of the engine makes of an outer column',
    'select (select cast(net.host(event_message) as time)) as c0 from function_edge_logs as t',
  ],
  [
    'an aggregate of nothing but outer columns',
    'select (select max(string(i.user_email)) from unnest(l.metadata) i) as x from auth_logs l',
  ],
  ['a STRUCT without fields', 'select struct() as s from edge_logs'],
  ['texts in the order of a constant', "select string_agg(format('l'), '|' order by format('l')) as s from edge_logs"],
];

describe('what compiles runs, or fails on its data with a sentence of ours', () => {
  it.each(found)('%s', async (_, text) => {
    const before = log.findings.length;
    await fuzz.check(text);
    expect(log.findings.slice(before)).toEqual([]);
  });

  it('for two hundred well-typed queries', async () => {
    const queries = new TypedQueries(new SeededRandom('a sample'));
    const before = { findings: log.findings.length, compiled: log.counts.get('compiled') ?? 0 };
    for (let n = 0; n < 200; n++) await fuzz.check(queries.query());
    expect(log.findings.slice(before.findings)).toEqual([]);
    expect((log.counts.get('compiled') ?? 0) - before.compiled).toBeGreaterThan(100);
  });
});

describe('what the fuzzer would find', () => {
  it('a sentence of the engine in an answer, unless the caller wrote it', () => {
    const error = new ServiceError('sql.data', 'Binder Error: no function f(VARCHAR)');
    expect(engineTextIn('select 1', error)).toMatch(/Binder Error/);
    expect(engineTextIn("select cast('binder error' as varchar)", error)).toBeUndefined();
    expect(engineTextIn('select 1', new ServiceError('sql.data', 'Division by zero.'))).toBeUndefined();
  });

  it("a table that is read in a caller's part of a query", () => {
    const context = { sources: new Map(builtinSources.map((source) => [source.name, source])), parameters: new Map() };
    const stored = 'with t as (select id from sources.edge_logs) select 1';
    expect(readsOutside(compileStored('select id from sources.edge_logs', context))).toBe(true);
    expect(readsOutside(compileCaller('select id from t', stored, context))).toBe(false);
  });
});
