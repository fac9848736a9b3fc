import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { edgeBatch, never, TestStorage } from '../../../src/engines/duckdb/storage.fixture.ts';

// What a caller's text could become if compiling it went wrong, sent to the engine process as it would be.

let test: TestStorage;
let outside: string;
beforeAll(async () => {
  test = await TestStorage.open();
  await test.storage.log.append(edgeBatch(['a1', 'a2'], { project: 'a' }));
  await test.storage.log.append(edgeBatch(['b1'], { project: 'b' }));
  outside = await mkdtemp(join(tmpdir(), 'logmill-outside-'));
  await writeFile(join(outside, 'secret.txt'), 'a secret');
});
afterAll(async () => {
  await test.close();
  await rm(outside, { recursive: true });
});

const bounds = { rowsMax: 10, bytesMax: 1_000_000 };

/** Runs the statement in every mode of a frame; each must refuse it without a word of the engine's. */
async function expectRefused(sql: string, projects: readonly string[] | null): Promise<void> {
  const runner = test.storage.statements.boundTo(projects);
  const modes: readonly (() => Promise<unknown>)[] = [
    () => runner.runRows(sql, bounds, never),
    () => runner.runValues(sql, never),
    () => runner.explain(sql, never),
  ];
  for (const run of modes) {
    const outcome = await run().then(
      (given) => ({ given }),
      (error: Error & { code?: string }) => ({ code: error.code, message: error.message }),
    );
    expect(outcome, sql).toMatchObject({ code: 'engine.failed' });
    expect(JSON.stringify(outcome), sql).not.toMatch(/secret|duckdb|Error:|events|edge_logs/i);
  }
}

describe('the engine process refuses, whoever calls,', () => {
  it.each([
    // Several statements, and a second one behind whatever looks like the end of the first.
    `SELECT 1; SELECT 2`,
    `SELECT 1;; DROP TABLE active_1.main.edge_logs`,
    `SELECT 1 -- \n; DELETE FROM active_1.main.edge_logs`,
    `SELECT 1 /* ; */; DELETE FROM active_1.main.edge_logs`,
    `SELECT '\\'; DELETE FROM active_1.main.edge_logs; --'; DELETE FROM active_1.main.edge_logs`,
    `SELECT $$;$$; DELETE FROM active_1.main.edge_logs`,
    `ROLLBACK; BEGIN; DELETE FROM active_1.main.edge_logs; COMMIT`,
    // Changes, also such as begin like a query.
    `WITH x AS (SELECT 1) DELETE FROM active_1.main.edge_logs`,
    `WITH x AS (SELECT 'x' AS id) INSERT INTO active_1.main.edge_logs (id) SELECT id FROM x`,
    `WITH x AS (SELECT 1) UPDATE active_1.main.edge_logs SET id = 'x'`,
    `WITH x AS (DELETE FROM active_1.main.edge_logs RETURNING id) SELECT * FROM x`,
    `SELECT * FROM (DELETE FROM active_1.main.edge_logs RETURNING id)`,
    `(DELETE FROM active_1.main.edge_logs)`,
    `SELECT id INTO x FROM active_1.main.edge_logs`,
    `MERGE INTO active_1.main.edge_logs USING (SELECT 1) ON false WHEN NOT MATCHED THEN INSERT (id) VALUES ('x')`,
    `TRUNCATE active_1.main.edge_logs`,
    `DROP SCHEMA pg_catalog`,
    `CREATE OR REPLACE TABLE active_1.main.edge_logs AS SELECT 1`,
    `CREATE VIEW v AS SELECT 1`,
    `CREATE MACRO m() AS 1`,
    `CREATE SECRET s (TYPE s3)`,
    `CREATE SEQUENCE s`,
    `CREATE INDEX i ON active_1.main.edge_logs (id)`,
    `INSERT INTO pg_catalog.pg_class VALUES (1)`,
    `UPDATE duckdb_settings() SET value = 1`,
    `COMMENT ON TABLE active_1.main.edge_logs IS 'x'`,
    // Files, databases, settings, extensions.
    `ATTACH ':memory:' AS m`,
    `ATTACH OR REPLACE DATABASE '/tmp/x.duckdb' AS active_1`,
    `DETACH active_1`,
    `COPY (SELECT 1) TO '/tmp/x.csv'`,
    `COPY active_1.main.edge_logs FROM '/etc/passwd'`,
    `COPY FROM DATABASE active_1 TO memory`,
    `EXPORT DATABASE '/tmp/x'`,
    `IMPORT DATABASE '/tmp/x'`,
    `INSTALL httpfs`,
    `FORCE INSTALL httpfs FROM 'http://example.com'`,
    `LOAD '/tmp/x.duckdb_extension'`,
    `UPDATE EXTENSIONS`,
    `SET enable_external_access = true`,
    `SET GLOBAL allowed_directories = ['/']`,
    `RESET lock_configuration`,
    `SET VARIABLE x = 1`,
    `PRAGMA enable_external_access = true`,
    `PRAGMA database_list`,
    `PRAGMA enable_profiling`,
    `CALL force_checkpoint()`,
    `USE active_1`,
    `SHOW ALL TABLES`,
    `DESCRIBE active_1.main.edge_logs`,
    `SUMMARIZE active_1.main.edge_logs`,
    `PREPARE p AS DELETE FROM active_1.main.edge_logs`,
    `EXECUTE p`,
    `EXPLAIN ANALYZE DELETE FROM active_1.main.edge_logs`,
    `VALUES (1)`,
    `FROM active_1.main.edge_logs`,
    `TABLE active_1.main.edge_logs`,
    `PIVOT active_1.main.edge_logs ON id USING count(*)`,
    `SELECT getenv('HOME')`,
    `SELECT nextval('x')`,
    `SELECT set_config('x', 'y')`,
    `SELECT * FROM read_csv('/etc/passwd')`,
    `SELECT * FROM read_text('/etc/passwd')`,
    `SELECT * FROM read_blob('/proc/self/environ')`,
    `SELECT * FROM read_json('/proc/self/environ')`,
    `SELECT * FROM read_ndjson_objects('/etc/passwd')`,
    `SELECT * FROM read_parquet('/etc/passwd')`,
    `SELECT * FROM parquet_metadata('/etc/passwd')`,
    `SELECT * FROM read_csv('/dev/stdin')`,
    `SELECT * FROM glob('/*')`,
    `SELECT * FROM '/etc/passwd'`,
    `SELECT * FROM 'http://example.com/x.csv'`,
    `SELECT * FROM 's3://bucket/x.parquet'`,
    `SELECT * FROM sqlite_scan('store.sqlite', 'tokens')`,
    `SELECT (SELECT content FROM read_text('/etc/hostname'))`,
    `SELECT * FROM query('DELETE FROM active_1.main.edge_logs')`,
    `SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')`,
    `SELECT * FROM json_execute_serialized_sql('{}')`,
    ``,
    ` `,
    `;`,
    `-- nothing`,
  ])('%s', async (sql) => {
    await expectRefused(sql, null);
    await expectRefused(sql, ['a']);
  });

  it('a file beside the events folder, by any path', async () => {
    const secret = join(outside, 'secret.txt');
    for (const path of [
      secret,
      `${test.eventsDir}/../../${outside.split('/').at(-1)}/secret.txt`,
      `${test.eventsDir}/../store.sqlite`,
      `${test.eventsDir}-other/x`,
      `file://${secret}`,
    ]) {
      await expectRefused(`SELECT content FROM read_text('${path}')`, null);
      await expectRefused(`SELECT content FROM read_text('${path}')`, ['a']);
    }
  });
});

it('a file that is looked into only when it runs is not read, though its plan can be shown', async () => {
  const sniff = `SELECT * FROM sniff_csv('${join(outside, 'secret.txt')}')`;
  await expect(test.storage.statements.runValues(sniff, never)).rejects.toMatchObject({ code: 'engine.failed' });
  expect(await test.storage.statements.explain(sniff, never)).not.toContain('a secret');
  await expectRefused(sniff, ['a']);
});

describe('where the projects of a call are known, the engine process refuses as well', () => {
  it.each([
    // The engine's own tables and functions.
    `SELECT * FROM duckdb_settings()`,
    `SELECT * FROM duckdb_tables()`,
    `SELECT * FROM duckdb_databases()`,
    `SELECT * FROM duckdb_functions()`,
    `SELECT * FROM duckdb_secrets()`,
    `SELECT * FROM duckdb_memory()`,
    `SELECT * FROM duckdb_logs()`,
    `SELECT * FROM duckdb_tables`,
    `SELECT * FROM pg_catalog.pg_class`,
    `SELECT * FROM information_schema.tables`,
    `SELECT * FROM sqlite_master`,
    `SELECT * FROM pragma_database_list`,
    `SELECT * FROM pragma_storage_info('active_1.main.edge_logs')`,
    `SELECT * FROM checkpoint('active_1')`,
    `SELECT * FROM enable_logging()`,
    `SELECT * FROM truncate_duckdb_logs()`,
    `SELECT * FROM enable_profiling()`,
    `SELECT * FROM (SHOW ALL TABLES)`,
    `SELECT * FROM (DESCRIBE active_1.main.edge_logs)`,
    `SELECT * FROM test_all_types()`,
    `SELECT * FROM range(1000000000)`,
    // Texts that are run.
    `SELECT * FROM query('SELECT 1')`,
    `SELECT * FROM query_table('edge_logs')`,
    `SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))`,
    // Tables of events without the condition, or under another name of the file.
    `SELECT id FROM active_1.main.edge_logs`,
    `SELECT id FROM active_1.edge_logs`,
    `SELECT id FROM active_1.main.edge_logs WHERE project = 'b'`,
    `SELECT id FROM active_1.main.edge_logs WHERE project = 'a' OR true`,
    `SELECT id FROM active_1.main.edge_logs WHERE project = 'a' UNION ALL SELECT id FROM active_1.main.edge_logs`,
    `SELECT identity_key FROM active_1.ledger.identities`,
    `SELECT * FROM summary((SELECT id FROM active_1.main.edge_logs))`,
  ])('%s', async (sql) => {
    await expectRefused(sql, ['a']);
  });

  it('files inside the events folder', async () => {
    for (const call of ['read_blob', 'read_text', 'glob', 'read_csv', 'read_parquet', 'read_duckdb']) {
      await expectRefused(`SELECT * FROM ${call}('${test.eventsDir}/*')`, ['a']);
      await expectRefused(`SELECT (SELECT count(*) FROM ${call}('${test.eventsDir}/active-1.duckdb'))`, ['a']);
    }
  });

  it('and answers what is held to them', async () => {
    const own = test.storage.statements.boundTo(['a']);
    const sql = `SELECT id FROM active_1.main.edge_logs WHERE project = 'a' ORDER BY id`;
    expect(await own.runValues(sql, never)).toEqual([['a1'], ['a2']]);
  });
});

it('after all of them every event is there, and nothing else', async () => {
  expect(await test.ids()).toEqual(['a1', 'a2', 'b1']);
  const settings = `SELECT name, value FROM duckdb_settings() WHERE name IN ('enable_external_access', 'lock_configuration', 'autoload_known_extensions') ORDER BY name`;
  expect(await test.storage.statements.runValues(settings, never)).toEqual([
    ['autoload_known_extensions', 'false'],
    ['enable_external_access', 'false'],
    ['lock_configuration', 'true'],
  ]);
  expect(test.observations.filter(({ kind }) => kind === 'engine.exited')).toEqual([]);
});
