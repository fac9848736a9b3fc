import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/core/concurrency/turns.ts';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { cutoffInSteps, rowsStatement } from '../../src/engines/duckdb/emit/emitStatement.ts';
import type { Statement } from '../../src/engines/duckdb/emit/emittedStatement.ts';
import type { ScanChoice } from '../../src/engines/duckdb/emit/scanChoice.ts';
import { compileStored } from '../../src/googlesql/compile.ts';
import { UnknownTimeError } from '../../src/googlesql/plan/lateBoundTimes.ts';
import { newestFirst } from '../../src/googlesql/plan/newestFirst.ts';
import { type PlannedRedaction, type QueryPlan, QueryPlanner } from '../../src/googlesql/plan/queryPlan.ts';
import type { ParameterType, ParameterValue } from '../../src/googlesql/resolve/parameterValue.ts';
import type { Column, ResolvedQuery } from '../../src/googlesql/resolve/tree.ts';
import type { RunRequest } from '../../src/ports/queryEngine.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import { TypedQueries } from '../fuzz/typedQuery.ts';
import { RelationQueries } from './relationQueries.ts';

const planner = new QueryPlanner();

const queriesOfKind = 180;
const callsOfQuery = 8;

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const times = ['t0', 't1', 't2'] as const;
const parameters = new Map<string, ParameterType>([
  ...times.map((name): [string, ParameterType] => [name, 'timestamp']),
  ['d', 'date'],
]);

const hour = 3_600_000_000;
const turns = [Date.UTC(2026, 0, 1), Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 4, 1)].map((ms) => ms * 1000);
/** Many of them equal, or decided by a microsecond; of sixteen digits each, as the length of a text decides how it is written. */
const moments = turns.flatMap((micros) => [micros, micros, micros - 1, micros + hour]);

const timestamps: readonly [string, ...string[]] = [
  '@t0',
  '@t1',
  '@t2',
  '@t0',
  'current_timestamp()',
  'timestamp_sub(current_timestamp(), interval 1 hour)',
  'timestamp_trunc(@t1, hour)',
  'timestamp_add(@t2, interval 1 day)',
  "coalesce(@t1, timestamp '2026-05-01')",
  'least(@t0, @t2)',
  'if(@t0 < @t1, @t0, @t2)',
  'timestamp(@d)',
  "timestamp '2026-05-01 00:00:00'",
  'timestamp_sub(@t0, interval timestamp_diff(@t1, @t0, second) second)',
  'timestamp_micros(unix_micros(greatest(@t0, @t1)) + 1)',
  'timestamp(date_trunc(date(@t2), month))',
  'cast(cast(@t1 as date) as timestamp)',
  'case when @t0 = @t1 then @t2 when @t0 in (@t2, current_timestamp()) then @t1 else @t0 end',
];

/** What the engine computes of them; one of a query, as a condition that is said twice in the same text is written once. */
const computed: readonly [string, ...string[]] = [
  "timestamp(datetime(@t1), 'Europe/Berlin')",
  'timestamp(date_sub(@d, interval extract(day from @t0) day))',
  'nullif(@t0, @t1)',
  '(select max(x) from (select @t0 as x union all select @t1) as w)',
  '[@t0, @t1][offset(0)]',
  "timestamp_trunc(@t2, day, 'Asia/Tokyo')",
  'timestamp(datetime(@d, current_time()))',
];

/** Texts of queries over the parameters and the clock. */
const kinds: Readonly<Record<string, (random: SeededRandom) => () => string>> = {
  'relations within relations': (random) => {
    const queries = new RelationQueries(random, timestamps);
    const table = (name: string, source: string) =>
      `${name} as (select id, timestamp as t, project as p, event_message as m, safe_cast(metadata.n as int64) as n from sources.${source})`;
    return () => {
      const sql = queries.query(random.integer(1, 3));
      return `with ${table('e', 'edge_logs')}, ${table('a', 'auth_logs')}${sql.startsWith('with ') ? `, ${sql.slice(5)}` : ` ${sql}`}`;
    };
  },
  'what is decided while a statement is written': (random) => {
    const time = () => random.pick(timestamps);
    const scan = (source: string, condition: string) =>
      `select id, timestamp as t from sources.${source} where ${condition}`;
    return () =>
      random.pick([
        // Which of two scans begins first, for a cutoff that is not known.
        () =>
          `select id, t from (${scan('edge_logs', `timestamp > ${time()}`)} union all ${scan('auth_logs', `timestamp >= ${time()}`)}) order by t desc limit 5`,
        // Whether a series is short, and what fails in it.
        () =>
          `select count(*) as n from unnest(generate_timestamp_array(${time()}, ${time()}, interval 1 ${random.pick(['minute', 'second', 'day'])})) as x`,
        () => `select x from unnest(generate_date_array(date(${time()}), @d)) as x`,
        () => `select x from unnest(generate_array(1, unix_seconds(${time()}) - unix_seconds(${time()}), 60)) as x`,
        // Which conditions the bounds of a scan say already.
        () => scan('edge_logs', `timestamp > ${time()} and timestamp > ${time()} and timestamp <= ${time()}`),
        () => scan('edge_logs', `(timestamp > ${time()} or timestamp > ${time()}) and timestamp >= ${time()}`),
        () => scan('edge_logs', `timestamp >= ${time()} and timestamp < ${random.pick(computed)}`),
        () =>
          `select ${random.pick(computed)} as x, ${time()} - ${time()} as y, array[${time()}] as z, if(${time()} in (${time()}, ${time()}), 1, 2) as w`,
        () =>
          `with e as (${scan('edge_logs', `timestamp >= ${time()}`)}) select a.id from e as a join e as b on a.id = b.id and b.t > ${time()} where a.t < ${time()}`,
      ] as const)();
  },
  'the whole catalogue': (random) => {
    const typed = new TypedQueries(random, {
      froms: [
        '(select * from sources.edge_logs where timestamp >= @t0) as t',
        '(select * from sources.edge_logs where timestamp > @t0 and timestamp <= @t1 order by timestamp desc) as t',
        "(select * from sources.edge_logs where project = 'a' and (@t2 is null or timestamp < @t2)) as t cross join unnest(t.metadata) as m",
        'sources.auth_logs as t',
      ],
      columns: { TIMESTAMP: ['t.timestamp'], STRING: ['t.id', 't.event_message'], JSON: ['t.metadata'] },
      literals: { TIMESTAMP: timestamps, DATE: ['@d', 'current_date()', 'date(@t0)', "date '2026-05-01'"] },
    });
    return () => {
      const sql = typed.query();
      return random.chance(0.3)
        ? `select id, timestamp from sources.edge_logs as t where ${typed.expression('BOOL', 3)} order by timestamp desc limit 10`
        : sql;
    };
  },
};

function compiled(text: string): ResolvedQuery | null {
  try {
    return compileStored(text, { sources, parameters });
  } catch {
    // What the generator makes is not always a query.
    return null;
  }
}

function requestOf(query: ResolvedQuery, random: SeededRandom): RunRequest {
  const micros = () => random.pick(moments as unknown as readonly [number, ...number[]]);
  const values = new Map<string, ParameterValue>(
    times.map((name) => [name, random.chance(0.1) ? { kind: 'null' } : { kind: 'timestamp', micros: micros() }]),
  );
  values.set('d', { kind: 'date', days: random.integer(20_570, 20_575) });
  // More of them than plans are remembered for, two of them most of the time.
  const projects = random.chance(0.8)
    ? random.pick<readonly string[]>([['a'], ['a'], ['b']])
    : random.pick<readonly string[] | null>([['a', 'b'], ['b', 'a'], ['a","b'], null]);
  const limits = { rowsMax: 10, bytesMax: 1000, profile: 'plain' } as const;
  return { query, parameters: values, projects, redaction: null, nowMicros: micros(), ...limits };
}

const redactionOf = (random: SeededRandom): PlannedRedaction => ({
  tag: random.integer(1, 1000),
  personalNumbers: () => new Set(),
});

/** What a run asks for besides its plan. */
interface Asked {
  readonly isSinceCutoff: boolean;
  /** The beginning of a window of newest rows; null without one. */
  readonly sinceMicros: bigint | null;
}

const askedOf = (random: SeededRandom): Asked => ({
  isSinceCutoff: random.chance(0.3),
  sinceMicros: random.chance(0.3) ? BigInt(random.pick(moments as unknown as readonly [number, ...number[]])) : null,
});

/** The bounds, not before the time: as a run has them for a window (queryRun.ts). */
function boundsOf(plan: QueryPlan, { sinceMicros }: Asked): QueryPlan['bounds'] {
  if (sinceMicros === null) return plan.bounds;
  return new Map(
    [...plan.bounds].map(([timestamp, bounds]) => {
      const { fromMicros } = bounds;
      return [
        timestamp,
        { ...bounds, fromMicros: fromMicros === null || fromMicros < sinceMicros ? sinceMicros : fromMicros },
      ];
    }),
  );
}

/** A condition on a time that two times say alike by chance stands once where they are known, and twice where they move. */
function withoutRepetition(sql: string): string {
  const said = new Set<string>();
  return sql.replaceAll(
    / (WHERE|AND) (\(\(\((?:[^()]|\([^()]*\))*\)\)\))/g,
    (text, word: string, condition: string) => {
      const isRepeated = word === 'AND' && said.has(condition);
      said.add(condition);
      return isRepeated ? '' : text;
    },
  );
}

/** All statements of a plan over files that are made up, and its bounds. */
function written(plan: QueryPlan, asked: Asked): { readonly bounds: unknown; readonly sql: readonly string[] } {
  const choice: ScanChoice = {
    databases: ['sealed_1', 'active_2'],
    ordinals: new Map([['sealed_1', [3]]]),
    irregular: new Set(),
    kept: new Map(),
    unnumbered: new Map(),
  };
  const choices = new Map<Column, ScanChoice>([...plan.bounds.keys()].map((timestamp) => [timestamp, choice]));
  const newest = newestFirst(plan.relation, 10);
  const within = boundsOf(plan, asked);
  const statements: Statement[] = [
    rowsStatement(plan, choices, within, 'plain', 10, newest !== null && asked.isSinceCutoff),
    ...(newest === null ? [] : [atOnce(cutoffInSteps(plan, newest, choices, within))]),
  ];
  const bounds = [...plan.bounds.values()].map(({ fromMicros, toMicros, projects, isFiltered }) => ({
    fromMicros,
    toMicros,
    projects,
    isFiltered,
  }));
  return { bounds, sql: statements.map(({ sql }) => withoutRepetition(sql)) };
}

describe.each(Object.entries(kinds))('queries of %s', (kind, make) => {
  it('are written for a call as they are where its times are known from the start', () => {
    const random = new SeededRandom(`moving times, ${kind}`);
    const next = make(random);
    let calls = 0;
    let reused = 0;
    for (let n = 0; n < queriesOfKind; n++) {
      const text = next();
      const moving = compiled(text);
      const known = compiled(text);
      if (moving === null || known === null) continue;
      planner.planEachCall(known);
      const shapes = new Set<object>();
      let before: { readonly plan: QueryPlan; readonly asked: Asked; readonly found: unknown } | null = null;
      for (let call = 0; call < callsOfQuery; call++) {
        const request = requestOf(moving, random);
        const asked = askedOf(random);
        // Each run has its own.
        const redaction = random.chance(0.25) ? redactionOf(random) : null;
        let plan: QueryPlan;
        let found: ReturnType<typeof written>;
        try {
          plan = planner.plan(request, redaction);
          found = written(plan, asked);
        } catch (error) {
          // As the engine does it (duckdbQueryEngine.ts).
          if (!(error instanceof UnknownTimeError)) throw error;
          planner.planEachCall(moving);
          plan = planner.plan(request, redaction);
          found = written(plan, asked);
        }
        expect(found, `${text}\n${JSON.stringify([...request.parameters, request.nowMicros])}`).toEqual(
          written(planner.plan({ ...request, query: known }, redaction), asked),
        );
        // The run before may still ask for its statements.
        if (before !== null && shapes.has(plan.shape)) expect(written(before.plan, before.asked)).toEqual(before.found);
        before = { plan, asked, found };
        calls += 1;
        if (shapes.has(plan.shape)) reused += 1;
        shapes.add(plan.shape);
      }
    }
    // Otherwise nothing is tried here.
    expect(calls).toBeGreaterThan(queriesOfKind / 2);
    expect(reused).toBeGreaterThan(calls / 5);
  });
});
