import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callFailure } from '../callFailure.ts';
import { isolationBreach } from './isolationCheck.ts';

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => {
  connection.closeSync();
});

async function breach(sql: string, projects: readonly string[] = ['a', "b'é😀"]): Promise<string | null> {
  const parsed = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  return isolationBreach(String(parsed.getRows()[0]?.[0]), projects);
}

const held = `(SELECT "id" FROM "active_1"."edge_logs" WHERE project = 'a')`;

describe('a statement passes whose every table is held to the projects', () => {
  it.each([
    `SELECT 1`,
    `SELECT id FROM active_1.edge_logs WHERE project = 'a'`,
    `SELECT id FROM active_1.main.edge_logs WHERE project IN ('a', 'b''é😀') AND "timestamp" >= TIMESTAMP '2020-01-01'`,
    `SELECT "project" FROM sealed_7."edge_logs" WHERE (id > 'x' AND (project = 'a' AND length(id) = 2))`,
    `SELECT * FROM (SELECT id FROM s1.edge_logs WHERE project = 'a' UNION ALL SELECT id FROM s2.edge_logs WHERE project = 'a') AS t`,
    `WITH w1 AS MATERIALIZED ${held} SELECT a.id FROM w1 AS a LEFT JOIN w1 AS b ON a.id = b.id`,
    `SELECT * FROM ${held} AS x CROSS JOIN LATERAL (SELECT unnest([x.id]) AS e) AS l LEFT JOIN ${held} AS y ON TRUE`,
    `SELECT (SELECT max(id) FROM ${held} AS i WHERE i.id = o.id), EXISTS (SELECT 1 FROM ${held}) FROM ${held} AS o`,
    `SELECT count(*) FROM ${held} AS t WHERE id IN (SELECT id FROM ${held} AS u) GROUP BY ROLLUP (id) HAVING true QUALIFY true ORDER BY 1 DESC NULLS LAST LIMIT 3 OFFSET 1`,
    `SELECT 'SELECT * FROM s1.edge_logs' AS text`,
    `SELECT NULL AS x WHERE FALSE`,
  ])('%s', async (sql) => {
    expect(await breach(sql)).toBeNull();
  });
});

describe('a statement is refused that', () => {
  it.each([
    ['follows another one', `SELECT 1; SELECT id FROM s1.edge_logs WHERE project = 'a'`],
    ['has no condition', `SELECT id FROM s1.edge_logs`],
    ['names another project', `SELECT id FROM s1.edge_logs WHERE project = 'c'`],
    ['names another project in the list', `SELECT id FROM s1.edge_logs WHERE project IN ('a', 'c')`],
    ['names one in another case', `SELECT id FROM s1.edge_logs WHERE project = 'A'`],
    ['has the condition beside OR', `SELECT id FROM s1.edge_logs WHERE project = 'a' OR true`],
    ['has the condition inside NOT', `SELECT id FROM s1.edge_logs WHERE NOT (project = 'a')`],
    ['excludes', `SELECT id FROM s1.edge_logs WHERE project <> 'a'`],
    ['excludes by a list', `SELECT id FROM s1.edge_logs WHERE project NOT IN ('a')`],
    ['compares with an order', `SELECT id FROM s1.edge_logs WHERE project >= 'a'`],
    ['compares with NULL', `SELECT id FROM s1.edge_logs WHERE project = NULL`],
    ['compares the project with itself', `SELECT id FROM s1.edge_logs WHERE project = project`],
    ['compares the literal with itself', `SELECT id FROM s1.edge_logs WHERE 'a' = 'a'`],
    ['compares another column', `SELECT id FROM s1.edge_logs WHERE id = 'a'`],
    ['compares with a subquery', `SELECT id FROM s1.edge_logs WHERE project = (SELECT 'a')`],
    ['computes the list', `SELECT id FROM s1.edge_logs WHERE project IN (SELECT project FROM ${held})`],
    ['computes in the list', `SELECT id FROM s1.edge_logs WHERE project IN ('a', lower('C'))`],
    ['computes the literal', `SELECT id FROM s1.edge_logs WHERE project = 'a' || ''`],
    ['changes the column', `SELECT id FROM s1.edge_logs WHERE lower(project) = 'a'`],
    ['takes a pattern', `SELECT id FROM s1.edge_logs WHERE project LIKE 'a'`],
    ['qualifies the column as another table might be', `SELECT id FROM s1.edge_logs AS e WHERE x.project = 'a'`],
    ['has the condition in HAVING', `SELECT project FROM s1.edge_logs GROUP BY project HAVING project = 'a'`],
    ['has the condition in QUALIFY', `SELECT id FROM s1.edge_logs QUALIFY project = 'a'`],
    ['has the condition outside', `SELECT * FROM (SELECT * FROM s1.edge_logs) WHERE project = 'a'`],
    ['has the condition in ON', `SELECT 1 FROM ${held} AS h JOIN s1.edge_logs AS e ON e.project = 'a'`],
    ['joins before the condition', `SELECT 1 FROM s1.edge_logs, s1.auth_logs WHERE project = 'a'`],
    ['lacks it in one arm', `SELECT id FROM s1.e WHERE project = 'a' UNION ALL SELECT id FROM s2.e`],
    ['lacks it in a WITH table', `WITH w AS (SELECT id FROM s1.e) SELECT 1`],
    ['lacks it in a WITH inside a subquery', `SELECT (WITH w AS (SELECT id FROM s1.e) SELECT max(id) FROM w)`],
    ['lacks it in a scalar subquery', `SELECT (SELECT max(id) FROM s1.e) FROM ${held}`],
    ['lacks it in EXISTS', `SELECT 1 FROM ${held} WHERE EXISTS (SELECT 1 FROM s1.e)`],
    [
      'lacks it in the WHERE beside the condition',
      `SELECT 1 FROM s1.e WHERE project = 'a' AND id IN (SELECT id FROM s2.e)`,
    ],
    ['lacks it in ORDER BY', `SELECT id FROM ${held} ORDER BY (SELECT max(id) FROM s1.e)`],
    ['lacks it in LIMIT', `SELECT id FROM ${held} LIMIT (SELECT count(*) FROM s1.e)`],
    ['lacks it in a lambda', `SELECT list_transform([1], lambda x: (SELECT max(id) FROM s1.e))`],
    [
      'lacks it in an argument of an aggregate',
      `SELECT sum(1 ORDER BY (SELECT max(id) FROM s1.e)) FILTER (WHERE true)`,
    ],
    ['calls another column project', `SELECT id AS project FROM s1.e WHERE project = 'a'`],
    ['renames the columns', `SELECT 1 FROM s1.e AS e(x, project) WHERE project = 'a'`],
    ['reads a table of no database', `SELECT id FROM edge_logs WHERE project = 'a'`],
    ['reads an engine view', `SELECT * FROM duckdb_tables`],
    ['reads a file', `SELECT * FROM 'x.csv'`],
    ['calls a table function', `SELECT * FROM read_text('x')`],
    ['calls a table function beside the condition', `SELECT * FROM range(3) WHERE project = 'a'`],
    ['runs a text', `SELECT * FROM query('SELECT * FROM s1.e')`],
    ['reads a table by a text', `SELECT * FROM query_table('e')`],
    ['pivots', `PIVOT s1.e ON id USING count(*)`],
    ['is recursive', `WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x FROM r) SELECT * FROM r`],
    ['shows', `SELECT * FROM (SHOW TABLES)`],
    ['describes', `SELECT * FROM (DESCRIBE s1.e)`],
    ['is no SELECT', `DELETE FROM s1.e WHERE project = 'a'`],
    ['does not parse', `SELECT FROM WHERE`],
    ['is two', `SELECT 1; SELECT id FROM s1.e`],
  ])('%s', async (_, sql) => {
    expect(await breach(sql)).toEqual(expect.any(String));
  });

  it('is too deep for the parser, which is told as such: it would not run either', async () => {
    const sum = `${'('.repeat(1_200)}1${' + 1)'.repeat(1_200)}`;
    const refusal: unknown = await breach(`SELECT ${sum} FROM s1.edge_logs`).catch((error: unknown) => error);
    expect(callFailure(refusal).kind).toBe('depth');
  });

  it('is held to a project that the call is not', async () => {
    expect(await breach(`SELECT id FROM s1.e WHERE project = 'a'`, ['b'])).toContain('without the condition');
    expect(await breach(`SELECT id FROM s1.e WHERE project = 'a'`, [])).toContain('without the condition');
  });
});
