import type { DuckDBConnection } from '@duckdb/node-api';
import { tableInFile } from '../../files/tableLayout.ts';
import { quoteIdentifier } from '../../sqlText.ts';
import { detach } from './attach.ts';

/** Attaches a database that exists only in memory, whose tables are the results of SELECTs. @throws the engine's error */
export async function attachViews(
  connection: DuckDBConnection,
  alias: string,
  views: readonly (readonly [table: string, select: string])[],
): Promise<void> {
  // A name whose DETACH failed is free again.
  await connection.run(`DETACH DATABASE IF EXISTS ${quoteIdentifier(alias)}`);
  await connection.run(`ATTACH ':memory:' AS ${quoteIdentifier(alias)}`);
  try {
    for (const [table, select] of views) {
      await connection.run(`CREATE VIEW ${tableInFile(alias, table)} AS ${select}`);
    }
  } catch (error) {
    await detach(connection, alias);
    throw error;
  }
}
