import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtinSources } from '../../../../sources/builtin.ts';
import { arrivalColumn, createTableSql, tableInFile, tableLayout } from '../../files/tableLayout.ts';
import { CancelledCall } from '../callFailure.ts';
import type { TablePart } from '../protocol.ts';
import { attachViews } from '../read/attachViews.ts';
import { parquetRows } from '../read/parquetRows.ts';
import { copyRows } from './copyRows.ts';

const root = mkdtempSync(join(tmpdir(), 'logmill-copied-'));
// The engine can take such a name for a value of each row.
const folder = join(root, 'project=p1');
const layout = tableLayout(
  builtinSources.find(({ name }) => name === 'edge_logs') ?? ({ name: '', hotColumns: [] } as never),
);
const every: TablePart = { table: 'edge_logs', projects: null, fromMicros: null, toMicros: null };
const alias = 'active_1';
let writing: DuckDBConnection;
let reading: DuckDBConnection;
let files = 0;

beforeAll(async () => {
  mkdirSync(folder);
  writing = await (await DuckDBInstance.create(':memory:')).connect();
  reading = await (await DuckDBInstance.create(':memory:')).connect();
  await writing.run(`ATTACH '${join(folder, 'active.duckdb')}' AS ${alias}`);
  await writing.run(createTableSql(alias, layout, 'active'));
  // Each value that a file of another format could change, in the rows of two projects.
  const values: Readonly<Record<string, readonly string[]>> = {
    VARCHAR: ["''", "'a' || chr(0) || 'b'", "'é😀' || chr(8232)", 'NULL', `repeat('{"a":"\\u0000"}', 9000)`],
    TIMESTAMP: [
      'make_timestamp(0)',
      'make_timestamp(-1)',
      'make_timestamp(253402300799999999)',
      'make_timestamp(1777629630123456)',
      'make_timestamp(-62135596800000000)',
    ],
    BIGINT: ['9223372036854775807', '-9223372036854775808', '0', 'NULL', '9007199254740993'],
    DOUBLE: ["'-0.0'", "'NaN'", "'-Infinity'", 'NULL', '4.9e-324'],
    BOOLEAN: ['TRUE', 'FALSE', 'NULL', 'TRUE', 'NULL'],
  };
  for (let row = 0; row < 10; row++) {
    const cells = layout.columns.map(({ name, type }) =>
      name === 'project' ? `'p${row % 2}'` : `CAST(${values[type]?.[row % 5] ?? 'NULL'} AS ${type})`,
    );
    await writing.run(`INSERT INTO ${tableInFile(alias, 'edge_logs')} VALUES (${cells.join(', ')}, ${row})`);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Rows with the type and the bytes of each cell. */
async function rowsOf(connection: DuckDBConnection, condition = 'TRUE') {
  const columns = [...layout.columns.map(({ name }) => name), arrivalColumn];
  const cells = columns.map((name) => `typeof("${name}") || ' ' || coalesce(hex(CAST("${name}" AS VARCHAR)), 'NULL')`);
  const sql = `SELECT ${cells.join(', ')} FROM "${alias}"."edge_logs" WHERE ${condition} ORDER BY ${arrivalColumn}`;
  return (await connection.runAndReadAll(sql)).getRowsJson();
}

const job = () => ({ isCancelled: false, interrupt: () => {} });

async function copied(part: TablePart): Promise<void> {
  const path = join(folder, `${++files}.parquet`);
  const connection = writing;
  try {
    await copyRows(connection, { alias, tables: [{ part, path }] }, job());
  } finally {
    await connection.run('ROLLBACK');
  }
  await attachViews(reading, alias, [['edge_logs', `SELECT * FROM ${parquetRows(path)}`]]);
}

it('copies every value of every type as it is, with the columns of the table', async () => {
  await copied(every);
  expect(await rowsOf(reading)).toEqual(await rowsOf(writing));
  expect(await rowsOf(reading)).toHaveLength(10);
});

it('copies only the rows of the projects, times and arrivals that a statement can need', async () => {
  await copied({ ...every, projects: ['p1'], fromMicros: '0', arrivals: [1, 8] });
  const condition = `project = 'p1' AND "timestamp" >= make_timestamp(0) AND ${arrivalColumn} BETWEEN 2 AND 8`;
  expect(await rowsOf(reading)).toEqual(await rowsOf(writing, condition));
  await copied({ ...every, projects: [] });
  expect(await rowsOf(reading)).toEqual([]);
});

it('copies nothing for a call that was cancelled', async () => {
  const path = join(folder, 'cancelled.parquet');
  const cancelled = { ...job(), isCancelled: true };
  await expect(copyRows(writing, { alias, tables: [{ part: every, path }] }, cancelled)).rejects.toThrow(CancelledCall);
  await writing.run('ROLLBACK');
});
