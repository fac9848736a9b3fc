import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FetchedTable } from '../protocol.ts';
import { attachFetched } from './fetchedTable.ts';
import { readRows } from './wholeResult.ts';

describe('a table of fetched rows', () => {
  let folder: string;
  let instance: DuckDBInstance;
  let connection: DuckDBConnection;
  let table: FetchedTable;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'logmill-fetched-'));
    instance = await DuckDBInstance.create(':memory:');
    connection = await instance.connect();
    const path = join(folder, 'rows.parquet');
    await connection.run(
      `COPY (SELECT 'a' AS out_id, 5::BIGINT AS out_timestamp, 1::UTINYINT AS out_flag, '' AS out_irregular, 0 AS out_check, 3 AS out_events
       UNION ALL SELECT 'b', NULL, NULL, '["x"]\n["y"]', 2, 4) TO '${path}' (FORMAT parquet)`,
    );
    table = {
      table: 'edge_logs',
      path,
      rows: 2,
      columns: [
        { name: 'id', type: 'VARCHAR', inFile: 'out_id' },
        { name: 'timestamp', type: 'TIMESTAMP', inFile: 'out_timestamp' },
        { name: 'flag', type: 'BOOLEAN', inFile: 'out_flag' },
      ],
      irregular: 'out_irregular',
      check: 'out_check',
      events: 'out_events',
    };
  });
  afterAll(async () => {
    connection.closeSync();
    await rm(folder, { recursive: true });
  });

  const types = async (alias: string) =>
    await readRows(connection, `SELECT typeof(id), typeof("timestamp"), typeof(flag) FROM "${alias}"."edge_logs"`);

  it('has the names and types that statements expect, and says what its columns tell of the rows', async () => {
    const found = await attachFetched(connection, { alias: 'one', table });
    expect({ ...found, irregular: found.irregular.toSorted() }).toEqual({
      irregular: ['["x"]', '["y"]'],
      check: 2,
      events: 7,
    });
    const typed = ['VARCHAR', 'TIMESTAMP', 'BOOLEAN'];
    expect(await types('one')).toEqual([typed, typed]);
    expect(await readRows(connection, `SELECT id, epoch_us("timestamp"), flag FROM "one"."edge_logs"`)).toEqual([
      ['a', 5n, true],
      ['b', null, null],
    ]);
  });

  it('takes the place of an earlier one of the same name', async () => {
    await attachFetched(connection, { alias: 'one', table });
    expect(await types('one')).toHaveLength(2);
  });

  it('leaves a statement its rows if another takes the name before it has ended', async () => {
    await attachFetched(connection, { alias: 'one', table });
    const reader = await instance.connect();
    await reader.run('BEGIN TRANSACTION READ ONLY');
    const result = await reader.stream('SELECT id FROM "one"."edge_logs", range(100000)');
    let rows = (await result.fetchChunk())?.rowCount ?? 0;
    expect(rows).toBeLessThan(200_000);
    await attachFetched(connection, { alias: 'one', table: { ...table, path: null, rows: 0 } });
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      rows += chunk.rowCount;
    }
    expect(rows).toBe(200_000);
    await reader.run('ROLLBACK');
    reader.closeSync();
    expect(await types('one')).toEqual([]);
  });

  it('is empty, with the same types, without a file', async () => {
    await attachFetched(connection, { alias: 'empty', table: { ...table, path: null, rows: 0 } });
    expect(await types('empty')).toEqual([]);
  });

  it('is refused if its file has more or fewer rows than were announced, and leaves nothing behind', async () => {
    for (const rows of [0, 1, 3]) {
      await expect(attachFetched(connection, { alias: 'cut', table: { ...table, rows } })).rejects.toThrow('rows that');
    }
    await attachFetched(connection, { alias: 'cut', table });
  });

  it('is refused if its file is no whole Parquet file, and leaves nothing behind', async () => {
    const path = join(folder, 'none.parquet');
    await expect(attachFetched(connection, { alias: 'none', table: { ...table, path } })).rejects.toThrow();
    await attachFetched(connection, { alias: 'none', table });
  });
});
