import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemTimer } from '../../../src/core/timer.ts';
import { ClickHouseServers } from '../../../src/engines/clickhouse/connection/clickhouseServers.ts';
import { ClickHouseFailure } from '../../../src/engines/clickhouse/connection/failure.ts';
import { selectParquet } from '../../../src/engines/clickhouse/connection/selectParquet.ts';
import { createViewStatement } from '../../../src/engines/clickhouse/existing/existingView.ts';
import { fetchBreach } from '../../../src/engines/clickhouse/query/fetchCheck.ts';
import { tableFilters } from '../../../src/engines/clickhouse/tables/visibleRows.ts';
import type { ExistingTable } from '../../../src/sources/existingTable.ts';
import { sourceOf } from '../../../src/sources/sourceDeclaration.ts';
import { hasClickHouse, type TestClickHouse } from '../../clickhouse/startClickHouse.ts';
import { sharedClickHouse } from './clickhouseEngine.ts';

/** Statements that try to read events of project b under the filter of project a. `D` is the database. */
const statements: readonly string[] = [
  'SELECT project AS out_p FROM D.events',
  "SELECT project AS out_p FROM D.events WHERE project = 'b'",
  'SELECT t.project AS out_p FROM D.events AS t',
  'SELECT out_p FROM (SELECT project AS out_p FROM D.events)',
  'WITH e AS (SELECT project AS out_p FROM D.events) SELECT out_p FROM e',
  'SELECT project AS out_p FROM D.events UNION ALL SELECT project FROM D.events',
  'SELECT b.project AS out_p FROM D.events AS a CROSS JOIN D.events AS b',
  "SELECT in_r0 AS out_p FROM (SELECT project AS in_l0 FROM D.events WHERE project = 'a') AS in_l FULL JOIN (SELECT project AS in_r0 FROM D.events) AS in_r ON in_l0 = in_r0",
  "SELECT concat(ifNull(in_l0, ''), ifNull(in_r0, '')) AS out_p FROM (SELECT project AS in_l0 FROM D.events) AS in_l FULL JOIN (SELECT project AS in_r0 FROM D.events WHERE 1) AS in_r ON in_l0 != in_r0 AND in_l0 = in_r0",
  "SELECT in_l0 AS out_p FROM (SELECT project AS in_l0 FROM D.events WHERE project = 'a' OR 1) AS in_l INNER JOIN (SELECT project AS in_r0 FROM D.events WHERE project = 'a') AS in_r ON 1 = 1",
  "SELECT in_u0 AS out_p FROM (\n(SELECT project AS in_u0 FROM D.events WHERE project = 'a')\nUNION ALL\n(SELECT project AS in_u0 FROM D.events)\n) AS in_u",
  "SELECT in_u0 AS out_p FROM (\n(SELECT project AS in_u0 FROM D.events WHERE project = 'b' LIMIT 5)\nUNION ALL\n(SELECT project AS in_u0 FROM D.events WHERE project = 'a' LIMIT 5)\n) AS in_u ORDER BY in_u0 LIMIT 5",
  "SELECT project AS out_p FROM D.events WHERE 'b' IN (SELECT project FROM D.events)",
  'SELECT (SELECT max(project) FROM D.events) AS out_p',
  'SELECT any(project) AS out_p FROM D.events GROUP BY ALL',
  'SELECT project AS out_p FROM D.events PREWHERE 1',
  'SELECT project AS out_p FROM D.events FINAL',
  'SELECT project AS out_p FROM D.events OR 1',
  "SELECT project AS out_p FROM D.events WHERE project = 'a' OR 1",
  "SELECT 'a' AS project, id AS out_p FROM D.events WHERE project = 'a'",
];

/** What ClickHouse's filter does not hold: only rights, `readonly` and our check do. */
const beyondTheFilter: readonly string[] = [
  "SELECT project AS out_p FROM merge('D', '^events$')",
  "SELECT project AS out_p FROM mergeTreeIndex('D', 'events')",
  'SELECT project AS out_p FROM D.events SETTINGS additional_table_filters = {}',
  "SELECT project AS out_p FROM remote('127.0.0.1', D.events)",
  "SELECT project AS out_p FROM cluster('default', D.events)",
  "SELECT line AS out_p FROM file('/etc/passwd', LineAsString)",
  "SELECT * FROM url('http://127.0.0.1/', LineAsString)",
  'SELECT name AS out_p FROM system.tables',
];

describe.skipIf(!hasClickHouse)('statements that try to read events of another project in ClickHouse', () => {
  let clickhouse: TestClickHouse;
  let servers: ClickHouseServers;
  let database: string;
  let folder: string;
  beforeAll(async () => {
    clickhouse = await sharedClickHouse();
    database = await clickhouse.createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'logmill-hostile-'));
    servers = new ClickHouseServers({
      urls: [clickhouse.url],
      user: { name: clickhouse.user, password: clickhouse.password },
      timer: systemTimer,
    });
    await clickhouse.run(
      `CREATE TABLE ${database}.events (id String, project LowCardinality(String), timestamp DateTime64(6, 'UTC')) ENGINE = MergeTree ORDER BY (project, timestamp)`,
    );
    await clickhouse.run(
      `INSERT INTO ${database}.events SELECT 'one', 'a', now64(6) UNION ALL SELECT 'two', 'b', now64(6)`,
    );
    await clickhouse.run(
      `CREATE TABLE ${database}.theirs ENGINE = MergeTree ORDER BY at AS SELECT id AS key, project AS tenant, timestamp AS at FROM ${database}.events`,
    );
    await clickhouse.run(createViewStatement(viewed(), { database, cluster: null }));
    // Only the stand-in has the cluster. Both of its shards are one process, so a view shows each of them its own rows.
    if (clickhouse.standIn === null) return;
    await clickhouse.run(
      `CREATE VIEW ${database}._stored_sharded AS SELECT * FROM ${database}.events WHERE if(project = 'a', 1, 2) = shardNum()`,
    );
    await clickhouse.run(
      `CREATE TABLE ${database}.sharded AS ${database}.events ENGINE = Distributed(two_shards, ${database}, _stored_sharded)`,
    );
  });
  afterAll(async () => {
    await servers.close();
    await rm(folder, { recursive: true });
  });

  const named = (sql: string, table = 'events') =>
    sql.replaceAll('D.events', `\`${database}\`.\`${table}\``).replaceAll("'D'", `'${database}'`);
  /** A source that reads a table of others through a view. */
  const viewed = () => {
    const existing: ExistingTable = {
      database,
      table: 'theirs',
      time: 'at',
      project: 'tenant',
      message: 'key',
      id: 'key',
      metadata: null,
      columns: [
        { name: 'key', type: 'String', kind: 'string' },
        { name: 'tenant', type: 'LowCardinality(String)', kind: 'string' },
        { name: 'at', type: "DateTime64(6, 'UTC')", kind: 'string' },
      ],
      isFinal: false,
    };
    return { ...sourceOf({ name: 'shown', projectField: { kind: 'column' }, description: '', existing }), existing };
  };
  const tables = ['events', 'shown', 'sharded'] as const;
  const onAll = statements.flatMap((sql) => tables.map((table) => [table, sql] as const));

  it.each([...statements, ...beyondTheFilter])('our check lets none of them pass: %s', (sql) => {
    expect(fetchBreach(named(sql), new Set([`${database}.events`]), ['a'])).not.toBeNull();
  });

  it('a table of a cluster shows the events of both projects without a filter', async (context) => {
    if (clickhouse.standIn === null) return context.skip();
    const text = await clickhouse.run(
      named('SELECT groupArray(project) FROM (SELECT project FROM D.events)', 'sharded'),
    );
    expect(text).toMatch(/a.*b|b.*a/);
  });

  it.each(onAll)("ClickHouse's own filter shows nothing of project b in %s: %s", async (table, sql) => {
    if (table === 'sharded' && clickhouse.standIn === null) return;
    const path = join(folder, `${randomUUID()}.parquet`);
    const visible = { ready: async () => {}, condition: () => '1' };
    const filters = tableFilters(
      { database, cluster: table === 'sharded' ? 'two_shards' : null },
      visible,
      [{ source: table === 'shown' ? viewed() : { name: table }, projects: ['a'] }],
      0,
    );
    const bounds = {
      timeoutMs: 60_000,
      rowsMax: 1000,
      bytesMax: 2 ** 20,
      answerBytesMax: 2 ** 20,
      memoryBytesMax: 2 ** 30,
    };
    const request = { statement: named(sql, table), queryId: randomUUID(), filters, bounds, path };
    const failure = await selectParquet(servers, request, new AbortController().signal).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure !== null) {
      expect(failure).toBeInstanceOf(ClickHouseFailure);
      return;
    }
    const text = await clickhouse.run(`SELECT * FROM file('${path}', Parquet) FORMAT TSV`);
    expect(text).not.toMatch(/\bb\b|two/);
  });
});
