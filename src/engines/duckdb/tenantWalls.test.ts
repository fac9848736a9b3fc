import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileStored } from '../../googlesql/compile.ts';
import { builtinSources } from '../../sources/builtin.ts';
import type { RunRequest } from '../ports/queryEngine.ts';
import { withCutoff } from './cutoffMark.ts';
import { DuckDbQueryEngine } from './duckdbQueryEngine.ts';
import type { EngineRunner, StatementRunner } from './statementRunner.ts';
import { edgeBatch, never, TestStorage } from './storage.fixture.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

/** Queries in whose statements a table of events stands in ever other places. */
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

describe('the two tenant walls', () => {
  let test: TestStorage;
  beforeAll(async () => {
    test = await TestStorage.open();
    await test.storage.eventLog.append(edgeBatch(['a1', 'a2', 'a3', 'a4'], { project: 'a' }));
    await test.storage.eventLog.append(edgeBatch(['b1', 'b2'], { project: 'b' }));
    await test.storage.sealNow();
    await test.storage.eventLog.append(edgeBatch(['a5'], { project: 'a' }));
    await test.storage.eventLog.append(edgeBatch(['b3'], { project: 'b' }));
  });
  afterAll(async () => {
    await test.close();
  });

  /** The statements of a run, in order. `bound` is what the runner is bound to, whatever the request says. */
  async function run(sql: string, projects: readonly string[] | null, bound = projects) {
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
      explain: runner.explain,
    };
    const engine: EngineRunner = { ...recorder, redactor: test.storage.statements.redactor, boundTo: () => recorder };
    const result = await new DuckDbQueryEngine(test.storage.files, engine).run(request(sql, projects), never);
    return { statements, rows: Buffer.from(result.rows).toString() };
  }

  it.each(queries)('the first lets the second find nothing to refuse: %s', async (sql) => {
    for (const projects of [['a'], ['b'], ['a', 'b'], ['none']]) {
      const { rows } = await run(sql, projects);
      for (const other of ['a', 'b'].filter((name) => !projects.includes(name)))
        expect(rows).not.toMatch(new RegExp(`"${other}\\d`));
    }
  });

  it.each(queries)('without the first, the second refuses to run: %s', async (sql) => {
    const { statements } = await run(sql, null);
    // One that names project a itself reads nothing else.
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
          // Only what stands beside a table: conditions of the query itself are over its own columns.
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
