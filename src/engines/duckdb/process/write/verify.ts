import type { DuckDBConnection } from '@duckdb/node-api';
import { tableInFile } from '../../files/tableLayout.ts';
import { quoteIdentifier } from '../../sqlText.ts';
import { CancelledCall } from '../callFailure.ts';
import type { Job } from '../read/statements.ts';
import { readRows } from '../read/wholeResult.ts';
import { inputTables } from './rewriteInputs.ts';

/**
 * Reads every value of an attached file, which verifies the checksum of each block. Returns the number of its events.
 * @throws the engine's error if a block is damaged
 */
export async function verifyFile(connection: DuckDBConnection, alias: string, job: Job): Promise<number> {
  job.interrupt = () => connection.interrupt();
  try {
    let events = 0;
    for (const { table, columns } of await inputTables(connection, [alias])) {
      if (job.isCancelled) throw new CancelledCall();
      const values = [...columns.keys()].map((column) => `max(hash(${quoteIdentifier(column)}))`);
      const [row] = await readRows(
        connection,
        `SELECT count(*), ${values.join(', ')} FROM ${tableInFile(alias, table)}`,
      );
      events += Number(row?.[0]);
    }
    return events;
  } finally {
    job.interrupt = () => {};
  }
}
