import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileStored } from '../../src/googlesql/compile.ts';
import { QueryPlanner } from '../../src/googlesql/plan/queryPlan.ts';
import type { QueryEngine, RunRequest } from '../../src/ports/queryEngine.ts';
import type { StorageHarness } from '../../src/ports/storageHarness.contract.ts';
import { shapeOf } from '../../src/sources/shape.ts';
import type { Source } from '../../src/sources/source.ts';
import { engineUnderTest, never, onEngine } from '../support/enginesUnderTest.ts';

const runs = 150;
const runsOfForm = 6;

const nowMicros = Date.UTC(2026, 4, 3, 12, 34, 56) * 1000;

/** Midnights of days, weeks, months and years, full hours, and moments at which clocks are put forward or back. */
const turns = [
  '2025-11-02T06:00:00Z',
  '2025-12-29T00:00:00Z',
  '2026-01-01T00:00:00Z',
  '2026-02-28T00:00:00Z',
  '2026-03-01T00:00:00Z',
  '2026-03-08T07:00:00Z',
  '2026-03-29T01:00:00Z',
  '2026-03-31T00:00:00Z',
  '2026-04-26T00:00:00Z',
  '2026-04-30T22:00:00Z',
  '2026-05-01T00:00:00Z',
  '2026-05-01T10:00:00Z',
  '2026-05-03T00:00:00Z',
].map((text) => Date.parse(text) * 1000);
const instants = turns.flatMap((micros) => [micros - 1, micros, micros + 1, micros + 1_800_000_000]);

const source = (name: string): Source => ({
  name,
  projectField: { kind: 'column' },
  shape: shapeOf({}),
  hotColumns: [],
});
const sources = new Map(['e', 'a'].map((name) => [name, source(name)]));

let test: StorageHarness;
let engine: QueryEngine;
beforeAll(async () => {
  test = await engineUnderTest.open({ sources: [...sources.values()] });
  // Each file holds what is around a few of the turns.
  for (let from = 0; from < instants.length; from += 8) {
    for (const name of sources.keys()) {
      const events = instants.slice(from, from + 8).map((micros, i) => ({
        id: `${name}${String(from + i).padStart(2, '0')}`,
        timestampMicros: micros + (name === 'a' && i % 3 === 0 ? 1_000_000 : 0),
        project: i % 4 === 0 ? 'q' : 'p',
        eventMessage: `m${i % 3}`,
        metadata: '{}',
        hot: [],
        irregular: [],
      }));
      await test.engine.log.append({ source: name, events, identity: null });
    }
    await test.age();
  }
  engine = test.engine.queries;
});
afterAll(() => test.close());

/** The query over the tables as they are, or over tables of which nothing above is known below. */
function requestOf(sql: string, isBounded: boolean): RunRequest {
  const barrier = isBounded ? '' : ' limit 1000000';
  const tables = [...sources.keys()].map(
    (name) => `${name} as (select id, timestamp, project, event_message as m from sources.${name}${barrier})`,
  );
  const query = compileStored(`with ${tables.join(', ')}${sql.startsWith('with ') ? `, ${sql.slice(5)}` : ` ${sql}`}`, {
    sources,
    parameters: new Map(),
  });
  const limits = { rowsMax: 10_000, bytesMax: 2 ** 24, profile: 'plain' } as const;
  return { query, parameters: new Map(), projects: null, redaction: null, nowMicros, ...limits };
}

type Answer = readonly string[] | 'error';

async function answer(sql: string, isBounded: boolean): Promise<Answer> {
  try {
    const { rows } = await engine.run(requestOf(sql, isBounded), never);
    return (JSON.parse(`[${Buffer.from(rows).toString()}]`) as unknown[]).map((row) => JSON.stringify(row)).toSorted();
  } catch (error) {
    // What an expression cannot be computed of; another failure is one of the test.
    if (error instanceof Error && 'code' in error && error.code === 'sql.data') return 'error';
    throw error;
  }
}

const isBound = (sql: string): boolean =>
  [...new QueryPlanner().plan(requestOf(sql, true)).bounds.values()].some(
    (b) => b.fromMicros !== null || b.toMicros !== null,
  );

type Kind = 'TIMESTAMP' | 'DATE' | 'DATETIME' | 'INT64';
/** An expression over the time `$`. */
interface Timed {
  readonly sql: string;
  readonly kind: Kind;
}

const written = (micros: number): string =>
  `timestamp '${new Date(Math.floor(micros / 1000)).toISOString().slice(0, 23)}${String(((micros % 1000) + 1000) % 1000).padStart(3, '0')}Z'`;
const instant = fc
  .tuple(fc.constantFrom(...instants, nowMicros), fc.constantFrom(0, 0, 0, 1, -1, 60_000_000, -86_400_000_000))
  .map(([micros, by]) => written(micros + by));
const count = fc.integer({ min: -40, max: 40 });
const zone = fc.constantFrom('', '', '', ", 'UTC'", ", 'Europe/Helsinki'", ", 'America/New_York'", ", '+05:30'");
const calendarPart = fc.constantFrom('day', 'week', 'week(monday)', 'isoweek', 'month', 'quarter', 'year');
const clockPart = fc.constantFrom('second', 'minute', 'hour', 'day');
const anyPart = fc.oneof(calendarPart, clockPart);

/** One more function around an expression. */
const around = ({ sql, kind }: Timed): fc.Arbitrary<Timed> => {
  const made = (of: Kind, text: fc.Arbitrary<string>) => text.map((each): Timed => ({ sql: each, kind: of }));
  const parts = <T extends readonly unknown[]>(...all: { [I in keyof T]: fc.Arbitrary<T[I]> }) => fc.tuple(...all);
  switch (kind) {
    case 'TIMESTAMP':
      return fc.oneof(
        made(
          'DATE',
          zone.map((z) => `date(${sql}${z})`),
        ),
        made(
          'DATE',
          fc.constantFrom(
            `cast(${sql} as date)`,
            `extract(date from ${sql})`,
            `extract(date from ${sql} at time zone 'Asia/Tokyo')`,
          ),
        ),
        made(
          'DATETIME',
          zone.map((z) => `datetime(${sql}${z})`),
        ),
        made(
          'TIMESTAMP',
          parts(anyPart, zone).map(([p, z]) => `timestamp_trunc(${sql}, ${p}${z})`),
        ),
        made(
          'TIMESTAMP',
          parts(count, clockPart).map(([n, p]) => `timestamp_add(${sql}, interval ${n} ${p})`),
        ),
        made(
          'TIMESTAMP',
          parts(count, clockPart).map(([n, p]) => `(${sql} - interval ${n} ${p})`),
        ),
        made(
          'TIMESTAMP',
          fc.constantFrom('5 minute', '2 day').map((w) => `timestamp_bucket(${sql}, interval ${w})`),
        ),
        made(
          'INT64',
          fc.constantFrom('seconds', 'millis', 'micros').map((u) => `unix_${u}(${sql})`),
        ),
        made(
          'INT64',
          parts(instant, clockPart).map(([at, p]) => `timestamp_diff(${sql}, ${at}, ${p})`),
        ),
        made(
          'INT64',
          parts(instant, clockPart).map(([at, p]) => `timestamp_diff(${at}, ${sql}, ${p})`),
        ),
        made('INT64', fc.constant(`extract(year from ${sql})`)),
      );
    case 'DATE':
      return fc.oneof(
        made(
          'TIMESTAMP',
          zone.map((z) => `timestamp(${sql}${z})`),
        ),
        made('DATETIME', fc.constantFrom(`datetime(${sql})`, `cast(${sql} as datetime)`)),
        made(
          'DATE',
          calendarPart.map((p) => `date_trunc(${sql}, ${p})`),
        ),
        made(
          'DATE',
          parts(count, fc.constantFrom('day', 'week', 'month', 'quarter')).map(
            ([n, p]) => `date_sub(${sql}, interval ${n} ${p})`,
          ),
        ),
        made(
          'DATE',
          count.map((n) => `(${sql} + ${n})`),
        ),
        made(
          'DATETIME',
          count.map((n) => `(${sql} + interval ${n} hour)`),
        ),
        made(
          'INT64',
          parts(instant, calendarPart).map(([at, p]) => `date_diff(date(${at}), ${sql}, ${p})`),
        ),
        made(
          'INT64',
          parts(instant, calendarPart).map(([at, p]) => `date_diff(${sql}, date(${at}), ${p})`),
        ),
        made('INT64', fc.constant(`unix_date(${sql})`)),
      );
    case 'DATETIME':
      return fc.oneof(
        made(
          'TIMESTAMP',
          zone.map((z) => `timestamp(${sql}${z})`),
        ),
        made('DATE', fc.constantFrom(`date(${sql})`, `cast(${sql} as date)`)),
        made(
          'DATETIME',
          anyPart.map((p) => `datetime_trunc(${sql}, ${p})`),
        ),
        made(
          'DATETIME',
          parts(count, fc.constantFrom('hour', 'week', 'month', 'year')).map(
            ([n, p]) => `datetime_add(${sql}, interval ${n} ${p})`,
          ),
        ),
        made(
          'INT64',
          parts(instant, anyPart).map(([at, p]) => `datetime_diff(${sql}, datetime(${at}), ${p})`),
        ),
      );
    case 'INT64':
      return fc.oneof(
        made(
          'INT64',
          parts(count, fc.constantFrom('+', '-')).map(([n, op]) => `(${sql} ${op} ${n})`),
        ),
        made(
          'INT64',
          count.map((n) => `(${n} - ${sql})`),
        ),
        made('INT64', fc.constantFrom(`(-${sql})`, `div(${sql}, 7)`, `(${sql} * 3)`, `(-2 * ${sql})`)),
      );
  }
};
const timed: fc.Arbitrary<Timed> = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.constant({ sql: '$', kind: 'TIMESTAMP' } as Timed))
  .chain(([depth, start]) => {
    let grown = fc.constant(start);
    for (let i = 0; i < depth; i++) grown = grown.chain(around);
    return grown;
  });

const of = (text: string, time: string): string => text.replaceAll('$', time);
const operator = fc.constantFrom('=', '<', '<=', '>', '>=', '!=');

/** A comparison of the expression with what it gives for another time: it is decided by the microsecond. */
const comparison = (expr: fc.Arbitrary<Timed>): fc.Arbitrary<string> =>
  fc.tuple(expr, operator, instant, instant, fc.integer({ min: 0, max: 5 })).map(([{ sql }, op, at, to, form]) => {
    const a = of(sql, at);
    const b = of(sql, to);
    if (form === 0) return `${a} ${op} ${sql}`;
    if (form === 1) return `${sql} between least(${a}, ${b}) and greatest(${a}, ${b})`;
    if (form === 2) return `${sql} in (${a}, ${b}, null)`;
    return `${sql} ${op} ${a}`;
  });

const condition: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: comparison(timed) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(comparison(timed), comparison(timed), fc.constantFrom('and', 'or', 'and not', 'or not'))
      .map(([x, y, word]) => `(${x}) ${word} (${y})`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        comparison(timed),
        comparison(timed),
        fc.constantFrom(
          'coalesce(#1, #2)',
          'if(#1, #2, false)',
          'not (#1 or #2)',
          'not (#1) and not (#2)',
          '(#1) is true',
          '(#1) is false',
          "('p' = 'q' and (#1)) or ((#1) and (#2))",
          'case when #1 then #2 else #1 end',
        ),
      )
      .map(([x, y, form]) => form.replaceAll('#1', x).replaceAll('#2', y)),
  },
);

/** Queries with a condition `{c}` on a time, and with expressions `{k}` of times and conditions `{h}` on what they give. */
const forms: readonly string[] = [
  'select id from e where {c:timestamp}',
  'select id, t from (select id, timestamp as t from e union all select id, timestamp from a) where {c:t}',
  'select id, t from (select id, timestamp as t from e union all (select id, timestamp from a order by timestamp limit 9)) where {c:t}',
  'select t from (select timestamp as t from e intersect distinct select timestamp from a) where {c:t}',
  'select t from (select timestamp as t from e except distinct select timestamp from a) where {c:t}',
  'select k from (select {k:timestamp} as k from e except distinct select {k:timestamp} from a) where {h:k}',
  'select {k:timestamp} as k, count(*) as n, max(id) as x from e group by k having {h:k}',
  'select * from (select {k:timestamp} as k, m, count(*) as n from e group by k, m) where {h:k} and n > 1',
  'select * from (select {k:timestamp} as k, m, count(*) as n from e group by rollup (k, m)) where {h:k}',
  'select k, n from (select max({k:timestamp}) as k, count(*) as n from e) where {h:k}',
  'select * from (select distinct {k:timestamp} as k, project from e) where {h:k}',
  'select id, r from (select id, timestamp as t, row_number() over (partition by {k:timestamp} order by id) as r from e) where {c:t}',
  'select id, r from (select id, {k:timestamp} as k, count(*) over (partition by {k:timestamp}) as r, max(id) over (partition by {k:timestamp}, m) as x from e) where {h:k}',
  'select id, r from (select id, timestamp as t, row_number() over (partition by m order by timestamp, id) as r from e) where {c:t}',
  'select id, r from (select id, timestamp as t, count(*) over (partition by safe.timestamp_add(timestamp, interval 2912383 day)) as r from e) where {c:t}',
  "select id, r from (select id, timestamp as t, count(*) over (partition by date(timestamp, if(m = 'm1', 'UTC', null))) as r from e) where {c:t}",
  'select id, timestamp as t from e where true qualify rank() over (partition by {k:timestamp} order by id) = 1 and {c:timestamp}',
  'select x.id, y.id as o from e as x join a as y on {k:x.timestamp} = {k:y.timestamp} where {c:x.timestamp}',
  'select x.id, y.id as o from e as x left join a as y on y.timestamp <= x.timestamp and y.timestamp > timestamp_sub(x.timestamp, interval 1 hour) where {c:x.timestamp}',
  'select x.id, y.id as o from e as x left join a as y on x.m = y.m and {c:x.timestamp}',
  'select x.id, y.id as o from e as x left join a as y on x.m = y.m and {c:y.timestamp}',
  'select x.id, y.id as o from e as x left join a as y on x.timestamp = y.timestamp where {c:y.timestamp}',
  'select x.id, y.id as o from e as x right join a as y on x.timestamp >= y.timestamp and x.m = y.m where {c:y.timestamp}',
  'select x.id, y.id as o from e as x full join a as y on x.timestamp = y.timestamp where {c:x.timestamp}',
  'select x.id, y.id as o from e as x full join a as y on x.timestamp = y.timestamp and {c:x.timestamp}',
  'select x.id from e as x where {c:x.timestamp} and exists (select 1 from a as y where y.timestamp between timestamp_sub(x.timestamp, interval 1 day) and x.timestamp)',
  'select x.id, (select count(*) from a as y where y.timestamp >= x.timestamp and y.timestamp < timestamp_add(x.timestamp, interval 2 hour)) as n from e as x where {c:x.timestamp}',
  'select x.id from e as x where x.timestamp not in (select y.timestamp from a as y where {c:y.timestamp})',
  'with h as (select {k:timestamp} as k, count(*) as n from e group by k) select p.k, p.n, q.n as o from h as p join h as q on p.n = q.n where ({h:p.k}) and ({h:q.k})',
  'with h as (select {k:timestamp} as k, count(*) as n from e group by k) select p.k, (select sum(n) from h) as x from h as p where {h:p.k}',
  'with h as (select {k:timestamp} as k, id from e), g as (select k, count(*) as n from h group by k) select g.k, n, id from g join h on g.k = h.k where {h:g.k}',
  'select id from (select id, timestamp as t from e order by timestamp, id limit 12) where {c:t}',
  'from e |> extend {k:timestamp} as k |> aggregate count(*) as n group by k |> where {h:k}',
  'select id, timestamp from (select * from e union all select * from a) where {c:timestamp} order by timestamp desc, id limit 7',
  "with p as (select {k:timestamp '2026-05-01'} as s) select id from e, p where {k:timestamp} >= p.s",
];

const queryOf = (form: string): fc.Arbitrary<string> =>
  fc.tuple(condition, timed, operator, operator, instant, instant).map(([where, key, op, otherOp, at, other]) => {
    const holds = (column: string) =>
      `${column} ${op} ${of(key.sql, at)} and ${column} ${otherOp} ${of(key.sql, other)}`;
    return form
      .replaceAll(/\{c:([\w.]+)\}/g, (_, time: string) => `(${of(where, time)})`)
      .replaceAll(/\{k:([^}]+)\}/g, (_, time: string) => of(key.sql, time))
      .replaceAll(/\{h:([\w.]+)\}/g, (_, column: string) => holds(column));
  });

describe(onEngine('a query answers with bounds of time at its scans as it does without'), () => {
  it('whatever its conditions compare, and wherever they stand', async () => {
    let bound = 0;
    for (const form of forms) {
      await fc.assert(
        fc.asyncProperty(queryOf(form), async (sql) => {
          const unbound = await answer(sql, false);
          // Where an event is not looked at, what cannot be computed of it does not fail.
          if (unbound === 'error') return;
          expect(await answer(sql, true)).toEqual(unbound);
          if (isBound(sql)) bound += 1;
        }),
        { numRuns: runsOfForm },
      );
    }
    expect(bound).toBeGreaterThan((runsOfForm * forms.length) / 4);
  });
});

describe(onEngine('what is computed while a query is planned'), () => {
  it('is what the engine computes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(timed, { minLength: 1, maxLength: 5 }), instant, async (exprs, at) => {
        const values = exprs.map(({ sql }, i) => `${of(sql, 't')} as c${i}`).join(', ');
        const known = await answer(`select ${values} from (select ${at} as t)`, true);
        const computed = await answer(
          `select ${values} from (select ${at} as t union all select timestamp from e where id = 'none')`,
          true,
        );
        expect(known).toEqual(computed);
      }),
      { numRuns: runs },
    );
  });

  it.each([
    '2026-05-01',
    '2026-05-01 10:00:00',
    '2026-05-01T23:59:59.999999Z',
    '2026-05-01 01:30:00.5+02:00',
    '2026-12-31T23:59:59-14:00',
    '0001-01-01',
    '9999-12-31 23:59:59.999999',
    '2026-02-29',
    '2026-05-01 24:00:00',
    '2026-5-1',
    '007',
    '-9223372036854775808',
    '2026-05-01 10:00:00 Europe/Helsinki',
  ])('is what the engine reads in the text %s', async (text) => {
    const readings = ['timestamp(s)', 'date(s)', 'datetime(s)', 'cast(s as timestamp)', 'cast(s as date)'];
    for (const reading of [...readings, 'cast(s as datetime)', 'cast(s as int64)', 'safe_cast(s as date)']) {
      const known = await answer(`select ${reading} as v from (select '${text}' as s)`, true);
      const read = await answer(
        `select ${reading} as v from (select '${text}' as s union all select id from e where id = 'none')`,
        true,
      );
      expect([reading, known]).toEqual([reading, read]);
    }
  });
});
