import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult, DuckDBValue } from '@duckdb/node-api';
import { endProcess } from '../endProcess.ts';

/** A result ended before all of its rows were there. Why is not known: the engine's binding does not tell it. */
export class CutResult extends Error {}

/** Of the connection's own transaction: it fails where an error or interrupt has ended that. */
const proof = 'SELECT 1';

/**
 * Reads a result to its end and proves that it was its end. Past the first chunk the engine's binding gives an empty chunk
 * where a statement failed or was interrupted, as it does after the last row. But the failure has also aborted the
 * transaction, so that another statement in it fails. This is the only place that fetches rows of the engine.
 *
 * `take` gets every chunk that has rows, and says whether it wants more; where it does not, nothing is said of the rest. The
 * connection must be in a transaction that was begun by a statement of its own, and `open` runs the statement in that.
 *
 * @throws CutResult where the end was not the end of the rows, and the engine's error where it tells it.
 */
export async function readWhole(
  connection: DuckDBConnection,
  open: () => Promise<DuckDBResult>,
  take: (chunk: DuckDBDataChunk) => boolean,
): Promise<void> {
  const result = await open();
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    if (!take(chunk)) return;
  }
  try {
    await connection.run(proof);
  } catch (cause) {
    throw new CutResult('a result ended before its last row', { cause });
  }
}

/** All rows of a result, as `readWhole` reads it: as plain arrays, integers as bigint. */
export async function readWholeRows(
  connection: DuckDBConnection,
  open: () => Promise<DuckDBResult>,
): Promise<readonly (readonly DuckDBValue[])[]> {
  const rows: (readonly DuckDBValue[])[] = [];
  await readWhole(connection, open, (chunk) => {
    for (const row of chunk.getRows()) rows.push(row);
    return true;
  });
  return rows;
}

/**
 * All rows of a statement of ours, read in a transaction that is begun for it: the connection must be in none.
 *
 * @throws as `readWhole` does.
 */
export async function readRows(
  connection: DuckDBConnection,
  sql: string,
): Promise<readonly (readonly DuckDBValue[])[]> {
  await connection.run('BEGIN TRANSACTION READ ONLY');
  try {
    return await readWholeRows(connection, async () => await connection.run(sql));
  } finally {
    await rollBack(connection);
  }
}

/** A job that is cancelled is interrupted again and again until it has ended. */
const interruptsMax = 100;

async function rollBack(connection: DuckDBConnection): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await connection.run('ROLLBACK');
      return;
    } catch (error) {
      const text = String(error);
      if (/no transaction is active/i.test(text)) return;
      // The next statement of the connection would become a part of the transaction, or be refused with it.
      if (!/INTERRUPT Error:/i.test(text) || attempt === interruptsMax)
        endProcess('a transaction that only read could not be ended');
    }
  }
}
