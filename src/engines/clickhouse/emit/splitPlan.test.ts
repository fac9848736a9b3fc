import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compileCaller, compileStored } from '../../../googlesql/compile.ts';
import { type PlannedRedaction, QueryPlanner } from '../../../googlesql/plan/queryPlan.ts';
import type { ParameterType, ParameterValue } from '../../../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery, ScanRelation } from '../../../googlesql/resolve/tree.ts';
import { compileLql } from '../../../lql/compileLql.ts';
import { rowsMaxParameter } from '../../../lql/rowsMaxParameter.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { directAnswer } from '../answer/directAnswer.ts';
import { irregularCondition } from '../query/irregularCondition.ts';
import type { EventTable, SplitPlan } from './fetch.ts';
import { splitPlan } from './splitPlan.ts';

const root = new URL('../../../../', import.meta.url);
const definition = (name: string): string => readFileSync(new URL(`definitions/${name}.sql`, root), 'utf8');

const text = (value: string): ParameterValue => ({ kind: 'string', value });
const given: Readonly<Record<string, readonly [ParameterType, ParameterValue]>> = {
  project: ['string', text('a')],
  iso_timestamp_start: ['timestamp', { kind: 'timestamp', micros: Date.UTC(2026, 3, 1) * 1000 }],
  iso_timestamp_end: ['timestamp', { kind: 'null' }],
  project_tier: ['string', text('PRO')],
  interval: ['string', text('1hr')],
  fill: ['string', text('none')],
  function_id: ['string', { kind: 'null' }],
};
const context = {
  sources: new Map(builtinSources.map((source) => [source.name, source])),
  parameters: new Map(Object.entries(given).map(([name, [type]]) => [name, type])),
};

const tableOf = ({ source }: ScanRelation): EventTable => ({
  from: `events.${source.name}`,
  columns: {
    id: 'id',
    timestamp: 'timestamp',
    event_message: 'event_message',
    metadata: 'metadata',
    project: 'project',
  },
  arrival: 'arrival_number',
  hot: new Map(source.hotColumns.map(({ column }) => [column, column])),
  conditions: ["project = 'a'"],
  bounds: { projects: ['a'], fromMicros: null, toMicros: null },
  isIrregular: (keys) => irregularCondition(source, keys),
});

const split = (query: ResolvedQuery, redaction: PlannedRedaction | null = null, canJoin = true): SplitPlan =>
  planned(query, redaction, canJoin).split;

function planned(query: ResolvedQuery, redaction: PlannedRedaction | null = null, canJoin = true) {
  const values = new Map(Object.entries(given).map(([name, [, value]]) => [name, value]));
  const plan = new QueryPlanner().plan(
    {
      query,
      parameters: values.set(rowsMaxParameter, { kind: 'int64', value: 1000n }),
      projects: ['a'],
      redaction: redaction === null ? null : 'all',
      nowMicros: Date.UTC(2026, 4, 1) * 1000,
    },
    redaction,
  );
  const factsOf = () => ({ irregular: new Set<string>(), isReadable: true });
  return { plan, split: plan.at(() => splitPlan({ plan, tableOf, factsOf, rowsNeeded: 1001, canJoin })) };
}

const ofCaller = (sql: string): SplitPlan => split(compileCaller(sql, definition('logs.all'), context));

/** Whether rows come back for groups, or as many as the answer needs. */
const isBounded = ({ fetches }: SplitPlan): boolean =>
  fetches.every(({ sql, rowsMax }) => rowsMax !== null || sql.includes('\nGROUP BY '));

describe('what is pushed to ClickHouse', () => {
  const direct = (query: ResolvedQuery): boolean => {
    const { plan, split: given } = planned(query);
    return directAnswer(given, plan, 'plain') !== null;
  };

  test.each(['logs.all', 'logs.all.retention', 'functions.invocation-stats', 'usage.api-counts'])(
    'the rows of the endpoint %s are those of the answer',
    (name) => {
      expect(direct(compileStored(definition(name), context))).toBe(true);
    },
  );

  test.each([
    'chart-by-minute',
    'distinct-by-day',
    'distinct-users',
    'error-rate',
    'group-by-status',
    'join-functions',
    'member-filter',
    'newest-of-four',
    'newest-status',
    'newest-text',
    'p95-by-hour',
    'rare-text',
    'slow-functions',
    'top-paths',
  ])('the rows of the caller query %s are those of the answer', (name) => {
    const [, sql = ''] = readFileSync(new URL(`bench/caller/${name}.sql`, root), 'utf8').split(/^-- .*$/m);
    expect(direct(compileCaller(sql, definition('logs.all'), context))).toBe(true);
  });

  test.each([
    ['a computed value', 'select upper(event_message) as x from edge_logs limit 5'],
    ['a member that is an object', 'select metadata.request from edge_logs limit 5'],
    ['a member beside its event', 'select metadata.x.y, metadata.request as r from edge_logs limit 5'],
    ['rows that only DuckDB puts in order', 'select id from edge_logs order by upper(event_message) limit 5'],
    [
      'rows in another order than that of their LIMIT',
      'select id from (select id from edge_logs order by id limit 5) order by id desc',
    ],
    ['rows of a LIMIT in an order', 'select id from (select id from edge_logs limit 5) order by id'],
    [
      'groups in another order than that of their LIMIT',
      'select * from (select id, count(*) as n from edge_logs group by id order by n limit 5) order by id',
    ],
    ['rows of two statements', 'select id from edge_logs union distinct select id from auth_logs'],
  ])('DuckDB reads %s', (_, sql) => {
    expect(direct(compileCaller(sql, definition('logs.all'), context))).toBe(false);
  });

  test.each(['logs.all', 'logs.all.retention', 'functions.invocation-stats', 'usage.api-counts'])(
    'the endpoint %s brings back no more rows than it needs',
    (name) => {
      const plan = split(compileStored(definition(name), context));
      expect(plan.fetches).not.toEqual([]);
      expect(isBounded(plan)).toBe(true);
    },
  );

  const folder = new URL('bench/caller/', root);
  const callers = readdirSync(folder).filter((name) => name.endsWith('.sql'));

  test.each(callers)('the caller query %s brings back no more rows than it needs', (name) => {
    const [, sql = ''] = readFileSync(new URL(name, folder), 'utf8').split(/^-- .*$/m);
    expect(isBounded(ofCaller(sql))).toBe(true);
  });

  test.each([
    'invoices',
    '-invoices "two words"',
    '~"inv.*es"',
    'm.request.method:GET m.response.status_code:>=500',
    '-m.request.path:~"^/rest"',
    'm.response.status_code:400..499',
    'm.unknown.member:NULL',
    'm.unknown.member:"a" m.other:<5',
    't:last@7d',
    's:m.request.path s:timestamp m.request.method:POST',
    'c:count(*) c:group_by(t::minute)',
    'm.response.status_code:>=500 c:count(*) c:group_by(t::hour)',
    'c:avg(m.response.origin_time) c:group_by(t::day)',
    'c:p95(m.response.origin_time) c:group_by(t::hour)',
    'c:countd(m.request.path) c:group_by(t::hour)',
    ...['avg', 'count', 'countd', 'sum', 'min', 'max', 'p50', 'p95', 'p99'].map(
      (name) => `c:${name}(m.unknown.member) c:group_by(t::hour)`,
    ),
    ...['a', '"5"', '5', '2.5', 'true'].map((value) => `m.unknown.member:@>${value}`),
    'm.unknown.member:@>~"^a"',
    '-m.unknown.member:@>~"^a" c:count(*) c:group_by(t::hour)',
  ])('the LQL query %s brings back no more rows than it needs', (lql) => {
    expect(isBounded(split(compileLql(`f:edge_logs ${lql}`, definition('logs.all'), context)))).toBe(true);
  });

  test('a caller query over a table with an optimization barrier is pushed as a whole', () => {
    const tables =
      'with t as (select timestamp, event_message from sources.edge_logs where regexp_contains(project, @project)) select 1';
    const plan = split(
      compileCaller(
        "select event_message from t where event_message like 'a%' order by timestamp desc limit 5",
        tables,
        context,
      ),
    );
    expect(plan.keptBack).toEqual([]);
    expect(isBounded(plan)).toBe(true);
  });

  test('the most frequent values and their total bring back no more groups than are needed', () => {
    const sql =
      'select metadata.request.path as value, count(*) as n, sum(count(*)) over () as total from edge_logs group by value order by n desc limit 8';
    expect(ofCaller(sql).fetches.map(({ rowsMax }) => rowsMax)).toEqual([1001]);
  });

  test('a chart brings back one period more than the endpoint returns', () => {
    const lql = 'f:edge_logs c:count(*) c:group_by(t::second)';
    const { fetches } = split(compileLql(lql, definition('logs.all'), context));
    expect(fetches.map(({ rowsMax }) => rowsMax)).toEqual([1001]);
  });

  test.each(['upper(concat(a, a))', 'concat(a, a)', 'coalesce(a, a)', 'if(a = "x", a, a)'])(
    'a chain of tables with %s, which uses a value twice, is split at once',
    (value) => {
      const tables = Array.from({ length: 60 }, (_, i) => `t${i + 1} as (select ${value} as a, id from t${i})`);
      const first = 't0 as (select event_message as a, id from edge_logs)';
      const { fetches } = ofCaller(`with ${[first, ...tables].join(', ')} select a from t60 where length(a) > 4`);
      expect(fetches.reduce((sum, { sql }) => sum + sql.length, 0)).toBeLessThan(250_000);
    },
  );

  test('a statement that is longer than ClickHouse reads is pushed in part', () => {
    const columns = Array.from({ length: 40 }, (_, i) => `if(a = '${i}', '', a) as c${i}`);
    const table = `t as (select coalesce(event_message, '${'x'.repeat(8_000)}') as a, id from edge_logs)`;
    const { fetches, keptBack } = ofCaller(`with ${table} select ${columns.join(', ')} from t where id = 'a' limit 5`);
    expect(fetches.map(({ sql }) => sql.length < 250_000)).toEqual([true]);
    expect(keptBack.length).toBeGreaterThan(0);
  });

  test('a member below an UNNEST is not looked for in arrays, which fail the check of the UNNEST', () => {
    const unnest = 'from edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.deep) as d';
    const [fetch] = ofCaller(`select d.a as k, count(*) as n ${unnest} group by k`).fetches;
    expect(fetch?.sql).toContain("JSONExtractRaw(ifNull(metadata, ''), 'deep', 'a')");
    expect(fetch?.sql).not.toContain("'deep') = 1");
    const [deeper] = ofCaller(`select d.a.b as k, count(*) as n ${unnest} group by k`).fetches;
    expect(deeper?.sql).toContain("'deep', 'a') = 1");
    expect(deeper?.sql).not.toContain("'deep') = 1");
  });

  test('a condition that the bounds imply is written once', () => {
    const [fetch] = ofCaller("select id from edge_logs where event_message = 'b' limit 5").fetches;
    expect(fetch?.sql.match(/project/g)).toHaveLength(1);
    expect(fetch?.sql).toContain("(event_message = 'b')");
  });

  test('a regular expression that is plain text is sent as it is, which ClickHouse searches faster', () => {
    const sqlOf = (pattern: string) =>
      ofCaller(`select id from edge_logs where regexp_contains(event_message, '${pattern}') limit 5`).fetches[0]?.sql;
    expect(sqlOf('abc')).toContain("match(event_message, 'abc')");
    expect(sqlOf('a.c')).toContain("match(event_message, '(?-s)a.c')");
    expect(sqlOf('a|c')).toContain("match(event_message, '(?-s)a|c')");
  });

  test('a reason says what is kept back', () => {
    const { keptBack, fetches } = ofCaller("select id from edge_logs where upper(event_message) = 'A' limit 5");
    expect(keptBack).toEqual([{ reason: 'not pushed: UPPER', costsRows: true }]);
    expect(fetches.map(({ rowsMax }) => rowsMax)).toEqual([null]);
  });

  test('a redacted query uses no text and no metadata in ClickHouse', () => {
    const redaction: PlannedRedaction = { tag: 1, personalNumbers: () => new Set() };
    const sql =
      "select id, event_message from edge_logs as t where event_message like '%a%' and t.metadata.x = 1 and t.metadata.request.path = 'b' and t.metadata.response.status_code > 400 and t.timestamp > '2026-01-01'";
    const { fetches } = split(compileCaller(sql, definition('logs.all'), context), redaction);
    const [, conditions = ''] = fetches
      .map((each) => each.sql)
      .join()
      .split('\nWHERE ');
    expect(conditions).toContain('response_status_code > ');
    expect(conditions).not.toMatch(/event_message|metadata|request_path/);
  });

  const joined = (rest: string) =>
    `select e.id, f.event_message from edge_logs as e join function_edge_logs as f on e.id = f.id ${rest}`;
  const compiled = (sql: string) => compileCaller(sql, definition('logs.all'), context);

  test('an inner join is one statement, which reads no more outputs of its sides than it needs', () => {
    const { fetches, keptBack } = ofCaller(joined("where e.metadata.request.path = '/x' order by f.timestamp limit 5"));
    expect(keptBack).toEqual([]);
    expect(fetches.map(({ scan, others: [other] }) => [scan.source.name, other?.source.name])).toEqual([
      ['edge_logs', 'function_edge_logs'],
    ]);
    const [sql = ''] = fetches.map((each) => each.sql);
    expect(sql).toMatch(/FROM events\.edge_logs\nWHERE .*request_path = '\/x'.*\) AS in_l\nFULL JOIN \(SELECT /);
    expect(sql).not.toContain('metadata');
  });

  test('a join of values that every event has leaves out events without a match', () => {
    const [fetch] = ofCaller(joined('order by f.timestamp limit 5')).fetches;
    expect(fetch?.sql).toContain('\nINNER JOIN (');
    expect(fetch?.checks).toEqual([]);
  });

  test.each([
    ['a left join', joined('limit 5').replace('join', 'left join')],
    [
      'a join of three tables',
      `${joined('').replace('e.id,', 'e.id as x,')} join auth_logs as g on g.id = e.id limit 5`,
    ],
    ['a join without an equality', joined('limit 5').replace('e.id = f.id', 'e.id < f.id')],
    ['an order that stays in the rest', joined('order by upper(e.id) limit 5')],
    [
      'a function above the join that stays in the rest',
      'select upper(e.id) as u, count(*) as n from edge_logs as e join function_edge_logs as f on e.id = f.id group by u',
    ],
  ])('%s is computed by the rest, over the events of each table', (_, sql) => {
    const { fetches } = ofCaller(sql);
    expect(fetches.length).toBeGreaterThan(1);
    expect(fetches.every(({ others }) => others.length === 0)).toBe(true);
  });

  test('tables of a cluster and redacted events are not joined in ClickHouse', () => {
    const query = compiled(joined('limit 5'));
    const redaction: PlannedRedaction = { tag: 1, personalNumbers: () => new Set() };
    for (const plan of [split(query, null, false), split(query, redaction)])
      expect(plan.fetches.map(({ others }) => others)).toEqual([[], []]);
  });

  test('text of a caller is in a statement only as a literal', () => {
    const { fetches } = ofCaller(
      String.raw`select id from edge_logs where event_message = 'it\'s \\ a\n`.concat("b' limit 1"),
    );
    expect(fetches[0]?.sql).toContain(String.raw`(event_message = 'it\'s \\ a`);
  });
});
