import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteIdentifier, quoteText } from '../sqlText.ts';
import { createTableSql, type TableLayout, tableInFile } from '../tableLayout.ts';
import { countByProject } from './activeFiles.ts';
import { syncPath } from './appends.ts';
import { CancelledCall } from './callFailure.ts';
import { readRows } from './instance.ts';
import type { EngineCalls } from './protocol.ts';
import type { Job } from './statements.ts';

type Rewrite = EngineCalls['rewrite'];

/** Small row groups: a project's few rows are then read without much else around them. */
const rowGroupRows = 20_480;

/**
 * Writes the events of all inputs into one file, each source sorted by project and time. The file
 * appears under its final name only when it is complete and durable; a crash leaves at most the
 * temporary one.
 */
export async function rewrite(
  connection: DuckDBConnection,
  call: Rewrite['takes'],
  job: Job,
): Promise<Rewrite['gives']> {
  const output = quoteIdentifier(call.outputAlias);
  await rm(call.temporaryPath, { force: true });
  await rm(`${call.temporaryPath}.wal`, { force: true });
  await connection.run(
    `ATTACH ${quoteText(call.temporaryPath)} AS ${output} (STORAGE_VERSION 'latest', ROW_GROUP_SIZE ${rowGroupRows})`,
  );
  let sources: Rewrite['gives']['sources'];
  try {
    job.interrupt = () => connection.interrupt();
    for (const layout of call.tables) {
      if (job.isCancelled) throw new CancelledCall();
      await rewriteTable(connection, call, layout);
    }
    await connection.run(`CHECKPOINT ${output}`);
    sources = await countByProject(connection, call.outputAlias, await tablesOf(connection, call.outputAlias));
  } finally {
    job.interrupt = () => {};
    await connection.run(`DETACH ${output}`);
  }
  if (job.isCancelled) throw new CancelledCall();
  await syncPath(call.temporaryPath);
  await rename(call.temporaryPath, call.finalPath);
  await syncPath(dirname(call.finalPath));
  return { bytes: (await stat(call.finalPath)).size, sources };
}

async function rewriteTable(connection: DuckDBConnection, call: Rewrite['takes'], layout: TableLayout): Promise<void> {
  const columns = layout.columns.map((column) => quoteIdentifier(column.name)).join(', ');
  const inputs = [];
  let expected = 0;
  for (const alias of call.inputs) {
    if (!(await tablesOf(connection, alias)).includes(layout.table)) continue;
    const [row] = await readRows(connection, `SELECT count(*) FROM ${tableInFile(alias, layout.table)}`);
    if (Number(row?.[0]) === 0) continue;
    expected += Number(row?.[0]);
    inputs.push(`SELECT ${columns} FROM ${tableInFile(alias, layout.table)}`);
  }
  if (inputs.length === 0) return;
  await connection.run(createTableSql(call.outputAlias, layout, 'sealed'));
  const target = tableInFile(call.outputAlias, layout.table);
  await connection.run(
    `INSERT INTO ${target} SELECT * FROM (${inputs.join(' UNION ALL ')}) ORDER BY project, timestamp`,
  );
  const [written] = await readRows(connection, `SELECT count(*) FROM ${target}`);
  if (Number(written?.[0]) !== expected) {
    throw new Error(`rewriting ${layout.table} gave ${String(written?.[0])} events instead of ${expected}`);
  }
}

async function tablesOf(connection: DuckDBConnection, alias: string): Promise<readonly string[]> {
  const rows = await readRows(
    connection,
    `SELECT table_name FROM duckdb_tables() WHERE database_name = ${quoteText(alias)} AND schema_name = 'main'`,
  );
  return rows.map(([name]) => String(name));
}
