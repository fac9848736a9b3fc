import type { DuckDBConnection } from '@duckdb/node-api';
import { untilMemory } from './untilMemory.ts';

/**
 * Begins a transaction. The engine can report that it has no memory for the result of BEGIN after the transaction has
 * begun. It is taken back then, or it would reject all later work of the connection.
 *
 * @throws the engine's error; the connection is in no transaction then
 */
export async function begin(connection: DuckDBConnection, access: 'READ ONLY' | 'READ WRITE'): Promise<void> {
  try {
    await connection.run(`BEGIN TRANSACTION ${access}`);
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/** A cancelled job is interrupted this many times at most, until it has ended. */
const interruptsMax = 100;

/**
 * Takes back the transaction of a connection, or does nothing if it has none. ROLLBACK needs memory of the engine for
 * its result, so it waits while queries hold all of it.
 *
 * @throws the engine's error if the transaction is still open, so that it would reject all later work
 */
export async function rollBack(connection: DuckDBConnection): Promise<void> {
  for (let interrupts = 0; ; ) {
    try {
      await untilMemory(async () => await connection.run('ROLLBACK'));
      return;
    } catch (error) {
      const text = String(error);
      if (/no transaction is active/i.test(text)) return;
      if (!/INTERRUPT Error:/i.test(text) || ++interrupts === interruptsMax) throw error;
    }
  }
}
