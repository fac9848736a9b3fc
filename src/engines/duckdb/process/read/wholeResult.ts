import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBMaterializedResult,
  DuckDBResult,
  DuckDBValue,
} from '@duckdb/node-api';
import { endProcess } from '../endProcess.ts';
import { begin, rollBack } from '../transaction.ts';

/** A result ended before all of its rows were read. The engine's binding does not report why. */
export class CutResult extends Error {}

/** Fails if an error or interrupt has aborted the connection's transaction. */
const proof = 'SELECT 1';

/**
 * Reads a result to its end and proves that the end is real. After the first chunk, the engine's binding returns an
 * empty chunk both after the last row and after a failure or interrupt. A failure has also aborted the transaction, so
 * another statement in it fails. Only the functions of this file take rows from the engine.
 *
 * `take` gets every chunk that has rows, and returns whether it wants more; if it does not, the rest is not checked. No
 * other chunk is fetched before it has returned.
 * The connection must be in a transaction that a separate statement began; `open` runs the statement in it.
 *
 * @throws CutResult if rows are missing, and the engine's error if it reports one
 */
export async function readWhole(
  connection: DuckDBConnection,
  open: () => Promise<DuckDBResult>,
  take: (chunk: DuckDBDataChunk) => boolean | Promise<boolean>,
): Promise<void> {
  const result = await open();
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const taken = take(chunk);
    if (!(typeof taken === 'boolean' ? taken : await taken)) return;
  }
  try {
    await connection.run(proof);
  } catch (cause) {
    throw new CutResult('a result ended before its last row', { cause });
  }
}

/**
 * Reads a result that the engine holds whole. The engine raises every error and interrupt before it returns such a result,
 * so no statement has to prove the end. `take` is as in `readWhole`.
 *
 * @throws CutResult if rows are missing
 */
export function readMaterialized(result: DuckDBMaterializedResult, take: (chunk: DuckDBDataChunk) => boolean): void {
  const { chunkCount } = result;
  let rows = 0;
  let isWanted = true;
  for (let i = 0; i < chunkCount && isWanted; i++) {
    const chunk = result.getChunk(i);
    rows += chunk.rowCount;
    isWanted = take(chunk);
  }
  // Also keeps the result, whose memory the chunks share, alive until the last chunk is taken.
  if (rows !== result.rowCount && isWanted) throw new CutResult('a whole result has fewer rows than it says');
}

/** The rows of a result that the engine holds whole, as plain arrays, integers as bigint. @throws like `readMaterialized` */
export function rowsOf(result: DuckDBMaterializedResult): readonly (readonly DuckDBValue[])[] {
  const rows: (readonly DuckDBValue[])[] = [];
  readMaterialized(result, (chunk) => {
    for (const row of chunk.getRows()) rows.push(row);
    return true;
  });
  return rows;
}

/** Reads all rows of a result like `readWhole`, as plain arrays, integers as bigint. */
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
 * Reads all rows of one of our statements, in a transaction begun for it: the connection must not be in one.
 *
 * @throws like `readWhole`
 */
export async function readRows(
  connection: DuckDBConnection,
  sql: string,
): Promise<readonly (readonly DuckDBValue[])[]> {
  await begin(connection, 'READ ONLY');
  try {
    return await readWholeRows(connection, async () => await connection.run(sql));
  } finally {
    await rollBack(connection).catch((cause: unknown) => {
      // Otherwise the next statement of the connection would become part of the transaction, or fail with it.
      endProcess(`a transaction that only read could not be ended: ${firstLine(String(cause))}`);
    });
  }
}

/** The lines after it may quote the error of an earlier statement, and with it values. */
const firstLine = (text: string): string => text.split('\n', 1)[0]?.slice(0, 200) ?? '';
