import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../core/concurrency/turns.ts';
import { compileStored } from '../../../googlesql/compile.ts';
import { UnknownTimeError } from '../../../googlesql/plan/lateBoundTimes.ts';
import { newestFirst } from '../../../googlesql/plan/newestFirst.ts';
import { QueryPlanner } from '../../../googlesql/plan/queryPlan.ts';
import type { ParameterType, ParameterValue } from '../../../googlesql/resolve/parameterValue.ts';
import type { Column, ResolvedQuery } from '../../../googlesql/resolve/tree.ts';
import type { RunRequest } from '../../../ports/queryEngine.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { pathKey } from '../../../sources/source.ts';
import { cutoffInSteps, rowsStatement } from './emitStatement.ts';
import type { Statement } from './emittedStatement.ts';
import type { ScanChoice } from './scanChoice.ts';
import { rememberedBytesMax } from './writtenStatements.ts';

const planner = new QueryPlanner();

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const parameters = new Map<string, ParameterType>([
  ['since', 'timestamp'],
  ['x', 'float64'],
  ['project', 'string'],
]);

const queries = {
  newest: `select id, request.method from sources.edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as request
    where project = @project and (@since is null or timestamp > @since) order by timestamp desc`,
  counting: `select @x as x, count(*) as n from sources.edge_logs as t cross join unnest(t.metadata) as m
    cross join unnest(m.request) as request where request.method = 'GET' and project = @project`,
  clock: `select current_timestamp() as moment, count(*) as n from sources.edge_logs
    where timestamp > timestamp_sub(current_timestamp(), interval 1 hour)`,
} as const;

interface Asked {
  readonly values?: Readonly<Record<string, ParameterValue>>;
  readonly request?: Partial<RunRequest>;
  readonly choice?: Partial<ScanChoice>;
  readonly isSinceCutoff?: boolean;
}

function statements(query: ResolvedQuery, { values, request: other, choice, isSinceCutoff }: Asked): Statement[] {
  const request: RunRequest = {
    query,
    parameters: new Map(Object.entries({ project: { kind: 'string', value: 'a' }, ...values })),
    projects: null,
    redaction: null,
    nowMicros: 1_000_000_000_000_000,
    rowsMax: 10,
    bytesMax: 1000,
    profile: 'plain',
    ...other,
  };
  const plan = planner.plan(request);
  const { profile, rowsMax } = request;
  const choices = new Map<Column, ScanChoice>(
    [...plan.bounds.keys()].map((timestamp) => [
      timestamp,
      {
        databases: ['sealed_1', 'active_2'],
        ordinals: new Map([['sealed_1', [3]]]),
        irregular: new Set(),
        kept: new Map(),
        unnumbered: new Map(),
        ...choice,
      },
    ]),
  );
  const newest = newestFirst(plan.relation, rowsMax);
  return [
    rowsStatement(plan, choices, plan.bounds, profile, rowsMax, isSinceCutoff),
    ...(newest === null ? [] : [atOnce(cutoffInSteps(plan, newest, choices, plan.bounds))]),
  ];
}

const asked: Readonly<Record<string, Asked>> = {
  'nothing else': {},
  'a time': { values: { since: { kind: 'timestamp', micros: 5 } } },
  'a later time': { values: { since: { kind: 'timestamp', micros: 6 } } },
  zero: { values: { x: { kind: 'float64', value: 0 } } },
  'the other zero': { values: { x: { kind: 'float64', value: -0 } } },
  'no number': { values: { x: { kind: 'float64', value: Number.NaN } } },
  infinity: { values: { x: { kind: 'float64', value: Number.POSITIVE_INFINITY } } },
  'the other infinity': { values: { x: { kind: 'float64', value: Number.NEGATIVE_INFINITY } } },
  'NULL for a number': { values: { x: { kind: 'null' } } },
  'another project': { values: { project: { kind: 'string', value: 'b' } } },
  'a token of one project': { request: { projects: ['a'] } },
  'a token of another project': { request: { projects: ['b'] } },
  'a token of two projects': { request: { projects: ['a', 'b'] } },
  'a project that looks like two': { request: { projects: ['a","b'] } },
  'a later now': { request: { nowMicros: 1_000_000_000_000_001 } },
  'fewer rows': { request: { rowsMax: 9 } },
  records: { request: { profile: 'records' } },
  'another file': { choice: { databases: ['sealed_1', 'active_3'] } },
  'fewer files': { choice: { databases: ['active_2'] } },
  'another ordinal': { choice: { ordinals: new Map([['sealed_1', [4]]]) } },
  'an irregular event': { choice: { irregular: new Set([pathKey(['request'])]) } },
  'what is removed': { choice: { kept: new Map([['sealed_1', 'timestamp >= 1']]) } },
  'what has no arrival number': { choice: { unnumbered: new Map([['sealed_1', 'some']]) } },
  'another irregular event': { choice: { irregular: new Set([pathKey(['request', 'method'])]) } },
  'a cutoff': { isSinceCutoff: true },
};

describe.each(Object.entries(queries))('what is written for the query %s', (_, text) => {
  const compile = () => compileStored(text, { sources, parameters });

  it('is used again for the same question only', () => {
    const query = compile();
    for (const turn of [Object.entries(asked), Object.entries(asked).toReversed()]) {
      for (const [what, each] of turn) {
        const anew = statements(compile(), each);
        const found = statements(query, each);
        expect(found, what).toEqual(anew.map((statement) => ({ ...statement, trusted: expect.anything() })));
        expect(found.map(trustedPaths), what).toEqual(anew.map(trustedPaths));
        expect(statements(query, each).map((statement, i) => statement === found[i])).not.toContain(false);
      }
    }
  });

  it('does not hang on what was written before', () => {
    const query = compile();
    const first = statements(query, {}).map(({ sql }) => sql);
    for (const each of Object.values(asked)) statements(query, each);
    expect(statements(query, {}).map(({ sql }) => sql)).toEqual(first);
  });
});

describe('what is remembered for a query', () => {
  const files = (count: number): Partial<ScanChoice> => ({
    databases: Array.from({ length: count }, (_, n) => `sealed_${n}`),
  });
  const ofCalls = (query: ResolvedQuery, choice: Partial<ScanChoice>, others: Partial<RunRequest> = {}) =>
    ['a', 'b', 'c', 'd'].flatMap((project) =>
      [10, 9, 8].flatMap((rowsMax) =>
        statements(query, { choice, request: { projects: [project], rowsMax, ...others } }).slice(0, 1),
      ),
    );
  const compile = () => compileStored(queries.newest, { sources, parameters });

  it('is what several projects ask by turns', () => {
    const query = compile();
    const first = ofCalls(query, files(3));
    expect(ofCalls(query, files(3)).map((statement, i) => statement === first[i])).not.toContain(false);
  });

  it('takes no more than its share, however many projects ask', () => {
    const query = compile();
    const written = ofCalls(query, files(70));
    const remembered = [...written].reverse().filter((statement, i) => {
      const [rowsMax, project] = [[8, 9, 10][i % 3], ['d', 'c', 'b', 'a'][Math.floor(i / 3)]];
      const [again] = statements(query, {
        choice: files(70),
        request: { projects: [project ?? ''], rowsMax: rowsMax ?? 0 },
      });
      return again === statement;
    });
    const bytes = remembered.reduce((sum, { sql }) => sum + 2 * sql.length, 0);
    expect(remembered.length).toBeGreaterThan(1);
    expect(remembered.length).toBeLessThan(written.length);
    expect(bytes).toBeLessThan(rememberedBytesMax);
  });

  it('is one plan where the texts of its parameters are long', () => {
    const query = compile();
    const plansOf = (value: string) =>
      ['a', 'b'].map((project) => {
        const parameters = new Map<string, ParameterValue>([
          ['project', { kind: 'string', value }],
          ['since', { kind: 'null' }],
          ['x', { kind: 'null' }],
        ]);
        const limits = { rowsMax: 10, bytesMax: 1000, profile: 'plain' } as const;
        return planner.plan({ query, parameters, projects: [project], redaction: null, nowMicros: 0, ...limits });
      });
    expect(plansOf('short').map((plan, i) => plan === plansOf('short')[i])).toEqual([true, true]);
    const long = 'x'.repeat(15_000);
    const [first, second] = plansOf(long);
    expect(plansOf(long)[0]).not.toBe(first);
    expect(second).toBeDefined();
  });
});

it('has a condition once that is said twice of a parameter, whose value may be another in each call', () => {
  const condition = "timestamp > nullif(@since, timestamp '2026-05-01')";
  const text = `select id from sources.edge_logs where ${condition} and ${condition}`;
  const query = compileStored(text, { sources, parameters });
  for (const micros of [5, 6]) {
    const [{ sql } = { sql: '' }] = statements(query, { values: { since: { kind: 'timestamp', micros } } });
    expect(sql.split(`CASE WHEN (make_timestamp(${micros}) =`)).toHaveLength(2);
  }
});

it('is written for each call where a width of FORMAT is computed of times', () => {
  const text = "select format('%*d', timestamp_diff(@since, timestamp '1970-01-01', day), 5) as x";
  const computed = compileStored(text, { sources, parameters });
  const asked = (micros: number): Asked => ({ values: { since: { kind: 'timestamp', micros } } });
  const dayMicros = 86_400_000_000;
  expect(() => statements(computed, asked(7 * dayMicros))).toThrow(UnknownTimeError);
  planner.planEachCall(computed);
  const [seven, nine] = [7, 9].map((days) => statements(computed, asked(days * dayMicros))[0]?.sql ?? '');
  expect(seven).not.toContain('must be a literal');
  expect(nine).toBe(seven?.replaceAll('7', '9'));
});

it('differs wherever the question does', () => {
  const query = compileStored(queries.newest, { sources, parameters });
  const texts = (what: string) => statements(query, asked[what] ?? {}).map(({ sql }) => sql);
  for (const [one, other] of [
    ['a token of one project', 'a token of another project'],
    ['a token of two projects', 'a project that looks like two'],
    ['nothing else', 'another project'],
    ['a time', 'a later time'],
    ['nothing else', 'another file'],
    ['nothing else', 'another ordinal'],
    ['nothing else', 'an irregular event'],
  ] as const)
    expect(texts(one)[0]).not.toBe(texts(other)[0]);
});

function trustedPaths({ trusted }: Statement): readonly string[][] {
  return [...trusted.values()].map((paths) => [...paths]);
}
