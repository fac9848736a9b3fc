import type { DuckDBConnection } from '@duckdb/node-api';
import { arrivalColumn, tableInFile } from '../../files/tableLayout.ts';
import { quoteIdentifier, quoteText } from '../../sqlText.ts';
import { CancelledCall } from '../callFailure.ts';
import { endProcess } from '../endProcess.ts';
import type { CopiedRows, TablePart } from '../protocol.ts';
import { attach, detach } from '../read/attach.ts';
import type { Job } from '../read/statements.ts';
import { begin, rollBack } from '../transaction.ts';

/** Writes rows of an attached file into a new one, which is attached as `into` meanwhile. */
export async function copyRows(
  connection: DuckDBConnection,
  { alias, path, parts }: CopiedRows,
  into: string,
  job: Job,
): Promise<void> {
  await attach(connection, `ATTACH ${quoteText(path)} AS ${quoteIdentifier(into)} (STORAGE_VERSION 'latest')`);
  job.interrupt = () => connection.interrupt();
  try {
    // On one snapshot, so that a commit of several sources is in all of the tables or in none.
    await begin(connection, 'READ WRITE');
    for (const part of parts) {
      if (job.isCancelled) throw new CancelledCall();
      const rows = `SELECT * FROM ${tableInFile(alias, part.table)} WHERE ${conditionOf(part)}`;
      await connection.run(`CREATE TABLE ${tableInFile(into, part.table)} AS ${rows}`);
    }
    await connection.run('COMMIT');
  } catch (error) {
    await rollBack(connection).catch(() => endProcess('a failed transaction could not be taken back'));
    throw error;
  } finally {
    job.interrupt = () => {};
    await detach(connection, into);
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
