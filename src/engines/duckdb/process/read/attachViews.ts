import type { DuckDBConnection, DuckDBMaterializedResult } from '@duckdb/node-api';
import { tableInFile } from '../../files/tableLayout.ts';
import { quoteIdentifier } from '../../sqlText.ts';
import { untilMemory } from '../untilMemory.ts';

/**
 * Attaches a database that exists only in memory, whose tables are the results of SELECTs, in place of an earlier one of
 * the name, and runs statements after it. All are one text, so that they take one round trip to the engine.
 *
 * @returns the whole result of the last statement, in one transaction of its own
 * @throws the engine's error; the name is free then
 */
export async function attachViews(
  connection: DuckDBConnection,
  alias: string,
  views: readonly (readonly [table: string, select: string])[],
  ...statementsAfter: readonly string[]
): Promise<DuckDBMaterializedResult> {
  const database = quoteIdentifier(alias);
  const statements = [
    `DETACH DATABASE IF EXISTS ${database}`,
    `ATTACH ':memory:' AS ${database}`,
    ...views.map(([table, select]) => `CREATE VIEW ${tableInFile(alias, table)} AS ${select}`),
    ...statementsAfter,
  ];
  try {
    return await connection.run(statements.join(';\n'));
  } catch (error) {
    await freeName(connection, alias);
    throw error;
  }
}

/** Detaches a database if one has the name, also while queries hold all memory. */
export async function freeName(connection: DuckDBConnection, alias: string): Promise<void> {
  await untilMemory(async () => await connection.run(`DETACH DATABASE IF EXISTS ${quoteIdentifier(alias)}`));
}
