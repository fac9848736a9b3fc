import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import type { RunRequest } from '../../../ports/queryEngine.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { edgeBatch, never, TestStorage } from '../storage.fixture.ts';
import { withCutoff } from './cutoffMark.ts';
import { DuckDbQueryEngine } from './duckdbQueryEngine.ts';
import type { EngineRunner, StatementRunner } from './statementRunner.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

/** Queries whose statements contain an event table in many different places. */
const queries: readonly string[] = [
  'select id from sources.edge_logs',
  'select id from sources.edge_logs order by timestamp desc limit 2',
  "select id from sources.edge_logs where project = 'a' order by timestamp desc limit 1",
  'select count(*) as n from sources.edge_logs a left join sources.edge_logs b on a.id = b.id and b.project = a.project',
  'select id from sources.edge_logs union all select id from sources.auth_logs',
  'with w as (select project, count(*) as n from sources.edge_logs group by 1) select (select max(n) from w) as x, n from w',
  'select id, (select max(b.id) from sources.edge_logs b where b.timestamp <= a.timestamp) as before from sources.edge_logs a',
  'select id from sources.edge_logs where exists (select 1 from sources.auth_logs) or id in (select id from sources.edge_logs)',
  'select array(select id from sources.edge_logs order by id) as ids, row_number() over (order by id) as n from sources.edge_logs',
  'select e.id from sources.edge_logs as e cross join unnest(e.metadata) as m left join unnest(m.request) as r on true',
  'select id as x, project as y from sources.edge_logs union all by name select project as y, id as x from sources.auth_logs',
  'select id as x, project as p from sources.edge_logs full outer union distinct by name select event_message as y, id as x from sources.edge_logs',
  'select id as x, event_message as y from sources.edge_logs left union all by name on (x) select id as x from sources.auth_logs',
  'select id as x, event_message as y from sources.edge_logs intersect distinct by name select event_message as y, id as x from sources.edge_logs',
  'select id as x, project as y from sources.edge_logs except distinct by name select project as y, id as x from sources.auth_logs',
  'from sources.edge_logs |> select id as x |> union all corresponding (from sources.edge_logs |> select id as x, project as y) |> aggregate count(*) as n group by x',
  'select project as p, event_message as e, min(id) as x, count(*) as n, grouping(project) as g from sources.edge_logs group by rollup(p, e)',
  "select concat(project, '/', event_message) as k, max(id) as x, count(*) as n from sources.edge_logs group by rollup((project, concat(project, '/', event_message)), event_message)",
  'select count(*) as n, max(id) as x, string_agg(id order by id) as ids from sources.edge_logs group by ()',
  'select struct(project as p, event_message as e) as k, min(id) as x, count(*) as n from sources.edge_logs group by k',
  'select distinct struct(project as p, id as i) as k from sources.edge_logs',
  'select id, row_number() over (partition by struct(project as p) order by id) as n from sources.edge_logs',
  'select id from sources.edge_logs where struct(project as p, id as i) in (select struct(project, id) from sources.edge_logs)',
  "select id from sources.edge_logs where event_message like any unnest(['%secret%', 'of %']) and id not like all ('z%', 'y%')",
  'select id from sources.edge_logs where id like any (select id from sources.edge_logs) or event_message not like all (select event_message from sources.auth_logs)',
  'select id, first_value(event_message respect nulls) over (order by id) as f, last_value(nullif(project, id) ignore nulls) over (order by id rows between unbounded preceding and unbounded following) as l from sources.edge_logs',
  'select id, percentile_disc(id, 0.5 respect nulls) over () as p, lag(id, 2) over (order by timestamp, id) as b from sources.edge_logs',
  "select id from sources.edge_logs where event_message like '%' 'secret' '%' or concat(project, 1) = 'b' '1'",
  'select id, project from sources.edge_logs qualify rank() over (partition by project order by id desc) <= 2',
  'select id, (select count(*) from sources.edge_logs b where b.event_message < a.event_message or b.project = a.project) as n from sources.edge_logs a where not exists (select 1 from sources.auth_logs c where c.id = a.id)',
  'select id, array(select b.id from sources.edge_logs b where b.timestamp <= a.timestamp order by b.id) as ids from sources.edge_logs a',
  "select json_object('ids', array_agg(id order by id), 'n', count(*)) as o from sources.edge_logs",
  "select to_json_string(struct(id, cast(event_message as bytes) as m), true) as j, left(cast(id as bytes), 1) || b'!' as b from sources.edge_logs",
  'select approx_top_count(event_message, 3) as t, array_agg(id order by id limit 3) as ids from sources.edge_logs',
  'select id, sum(length(event_message)) over (order by unix_micros(timestamp) range between 10 preceding and 10 following) as n from sources.edge_logs',
  "select json_value(m.payload, '$.message') as x, id from sources.edge_logs cross join unnest(metadata) as m",
];

function request(sql: string, projects: readonly string[] | null): RunRequest {
  const query = compileStored(sql, { sources, parameters: new Map() });
  const parameters = new Map();
  const rowsMax = query.outerLimit ?? 100;
  return {
    query,
    parameters,
    projects,
    redaction: null,
    nowMicros: 0,
    rowsMax,
    bytesMax: 2 ** 20,
    profile: 'plain',
  };
}

/** The statements of a run, in order. The runner is restricted to `bound`, whatever the request says. */
async function runOn(test: TestStorage, sql: string, projects: readonly string[] | null, bound = projects) {
  const statements: string[] = [];
  const runner = test.storage.statements.boundTo(bound);
  const recorder: StatementRunner = {
    runRows: async (text, bounds, signal) => {
      statements.push(text);
      return await runner.runRows(text, bounds, signal);
    },
    runNewest: async (search, text, bounds, signal) => {
      const found = await runner.runNewest(search, text, bounds, signal);
      statements.push(search.sql, withCutoff(text, String(found.cutoff.micros ?? 0)));
      return found;
    },
    runValues: async (text, signal) => {
      statements.push(text);
      return await runner.runValues(text, signal);
    },
    streamRows: runner.streamRows,
    explain: runner.explain,
  };
  const engine: EngineRunner = { ...recorder, redactor: test.storage.statements.redactor, boundTo: () => recorder };
  const result = await new DuckDbQueryEngine(test.storage.files, engine).run(request(sql, projects), never);
  return { statements, rows: Buffer.from(result.rows).toString() };
}

describe('the two mechanisms of project isolation', () => {
  let test: TestStorage;
  beforeAll(async () => {
    test = await TestStorage.open();
    await test.storage.log.append(edgeBatch(['a1', 'a2', 'a3', 'a4'], { project: 'a' }));
    await test.storage.log.append(edgeBatch(['b1', 'b2'], { project: 'b' }));
    await test.storage.sealNow();
    await test.storage.log.append(edgeBatch(['a5'], { project: 'a' }));
    await test.storage.log.append(edgeBatch(['b3'], { project: 'b' }));
  });
  afterAll(async () => {
    await test.close();
  });

  const run = (sql: string, projects: readonly string[] | null, bound = projects) => runOn(test, sql, projects, bound);

  it.each(queries)('the first lets the second find nothing to refuse: %s', async (sql) => {
    for (const projects of [['a'], ['b'], ['a', 'b'], ['none']]) {
      const { rows } = await run(sql, projects);
      for (const other of ['a', 'b'].filter((name) => !projects.includes(name)))
        expect(rows).not.toMatch(new RegExp(`"${other}\\d`));
    }
  });

  it.each(queries)('without the first, the second refuses to run: %s', async (sql) => {
    const { statements } = await run(sql, null);
    // A query that names project a reads nothing else.
    const named = sql.includes("= 'a'") ? ['b', 'c'] : ['a', 'b'];
    for (const statement of statements) {
      const failure = await test.storage.statements
        .boundTo(named)
        .runValues(statement, never)
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'engine.failed' });
      expect((failure as Error).message).not.toMatch(/project|edge_logs/);
    }
    await expect(run(sql, null, ['c'])).rejects.toMatchObject({ code: 'engine.failed' });
  });

  it('the second misses no condition: a statement that has lost or changed any one of them is refused', async () => {
    let changed = 0;
    for (const sql of queries) {
      for (const projects of [['a'], ['a', 'b']]) {
        for (const statement of (await run(sql, projects)).statements) {
          // Only conditions next to a table: conditions of the query itself are on its own columns.
          const conditions = [...statement.matchAll(/(?<= WHERE )project (?:= '\w+'|IN \([^)]*\))/g)];
          expect(conditions.length).toBeGreaterThan(0);
          for (const { index, 0: condition } of conditions) {
            for (const other of [
              'TRUE',
              "project = 'z'",
              `NOT (${condition})`,
              `(${condition} OR TRUE)`,
              'project IS NOT NULL',
            ]) {
              const text = `${statement.slice(0, index)}${other}${statement.slice(index + condition.length)}`;
              const bound = test.storage.statements.boundTo(projects);
              await expect(bound.runValues(text, never), text).rejects.toMatchObject({ code: 'engine.failed' });
              changed += 1;
            }
          }
        }
      }
    }
    expect(changed).toBeGreaterThan(200);
  });

  it('what is too long to be looked at is refused, and what is long is looked at', async () => {
    const own = test.storage.statements.boundTo(['a']);
    const list = (count: number) => `[${Array.from({ length: count }, () => `'x'`).join(', ')}]`;
    const held = (count: number) =>
      `SELECT len(${list(count)})::INTEGER, id FROM active_2.main.edge_logs WHERE project = 'a'`;
    expect(await own.runValues(held(20_000), never)).toEqual([[20_000, 'a5']]);
    await expect(own.runValues(held(20_000).replace("'a'", "'b'"), never)).rejects.toMatchObject({
      code: 'engine.failed',
    });
    await expect(own.runValues(held(90_000), never)).rejects.toMatchObject({ code: 'sql.too_complex' });
  });

  it('a plan is not shown of a statement that would not be run', async () => {
    const { statements } = await run('select id from sources.edge_logs', null);
    const explained = test.storage.statements.boundTo(['a']).explain(statements[0] ?? '', never);
    await expect(explained).rejects.toMatchObject({ code: 'engine.failed' });
  });
});

/** Events of b that differ in number, time and every text; those of a are the same, in the same segments. */
const others = [
  { ids: ['b1', 'b2'], event: { eventMessage: 'of b, secret', metadata: '{"payload":"{\\"message\\":\\"b\\"}"}' } },
  { ids: ['a8', '0', 'c3'], event: { eventMessage: 'z', timestampMicros: 1_600_000_000_000_000, metadata: '{"x":1}' } },
] as const;

describe('an answer to a token of one project', () => {
  const twins: TestStorage[] = [];
  beforeAll(async () => {
    for (const { ids, event } of others) {
      const test = await TestStorage.open();
      twins.push(test);
      const { log } = test.storage;
      const own = { project: 'a', eventMessage: 'of a', metadata: '{"payload":"{\\"message\\":\\"a\\"}"}' };
      await log.append(edgeBatch(['a1', 'a2', 'a3'], own));
      await log.append(edgeBatch(ids, { ...event, project: 'b' }));
      await test.storage.sealNow();
      await log.append(edgeBatch(['a5'], { ...own, timestampMicros: 1_700_000_000_000_005 }));
      await log.append(
        edgeBatch(
          ids.map((id) => `${id}x`),
          { ...event, project: 'b' },
        ),
      );
    }
  });
  afterAll(async () => {
    for (const test of twins) await test.close();
  });

  const sorted = (rows: string): readonly string[] =>
    (JSON.parse(`[${rows.replace(/^\[|\]$/g, '')}]`) as unknown[]).map((row) => JSON.stringify(row)).sort();

  it.each(queries)('is the same whatever others store: %s', async (sql) => {
    const [one, other] = await Promise.all(twins.map((test) => runOn(test, sql, ['a'])));
    expect(sorted(other?.rows ?? '')).toEqual(sorted(one?.rows ?? '?'));
    // Without isolation they would differ, except for members, which these events show to no one because they have no
    // typed columns.
    const [oneOfAll, otherOfAll] = await Promise.all(twins.map((test) => runOn(test, sql, null)));
    if (!/= 'a'|unnest\((?:e\.)?metadata/.test(sql))
      expect(sorted(otherOfAll?.rows ?? '')).not.toEqual(sorted(oneOfAll?.rows ?? ''));
  });
});
