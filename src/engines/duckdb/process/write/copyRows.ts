import type { DuckDBConnection } from '@duckdb/node-api';
import { arrivalColumn, tableInFile } from '../../files/tableLayout.ts';
import { quoteText } from '../../sqlText.ts';
import { CancelledCall } from '../callFailure.ts';
import type { CopiedRows, TablePart } from '../protocol.ts';
import type { Job } from '../read/statements.ts';
import { begin } from '../transaction.ts';

/** The engine neither compresses such files by trial, nor flushes them to the device (decision 110). */
const format = 'FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 8192, USE_TMP_FILE false';

/** Writes rows of an attached file into Parquet files, one for each table. Closing the connection ends its transaction. */
export async function copyRows(connection: DuckDBConnection, { alias, tables }: CopiedRows, job: Job): Promise<void> {
  job.interrupt = () => connection.interrupt();
  try {
    // On one snapshot, so that a commit of several sources is in all of the tables or in none.
    await begin(connection, 'READ ONLY');
    for (const { part, path } of tables) {
      if (job.isCancelled) throw new CancelledCall();
      const rows = `SELECT * FROM ${tableInFile(alias, part.table)} WHERE ${conditionOf(part)}`;
      await connection.run(`COPY (${rows}) TO ${quoteText(path)} (${format})`);
    }
  } finally {
    job.interrupt = () => {};
  }
}

function conditionOf({ projects, fromMicros, toMicros, arrivals = null }: TablePart): string {
  const conditions: string[] = [];
  if (projects !== null) {
    conditions.push(projects.length === 0 ? 'FALSE' : `project IN (${projects.map(quoteText).join(', ')})`);
  }
  if (fromMicros !== null) conditions.push(`timestamp >= make_timestamp(${BigInt(fromMicros)})`);
  if (toMicros !== null) conditions.push(`timestamp <= make_timestamp(${BigInt(toMicros)})`);
  if (arrivals !== null) {
    const [after, to] = arrivals.map(BigInt);
    conditions.push(`${arrivalColumn} > ${after} AND ${arrivalColumn} <= ${to}`);
  }
  return conditions.length === 0 ? 'TRUE' : conditions.join(' AND ');
}
