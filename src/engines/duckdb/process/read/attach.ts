import { setTimeout as delay } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { endProcess } from '../endProcess.ts';

/** How long another process may still hold an event file, such as one that is just being killed. */
const lockWaitMs = 5_000;
/** How long a statement of this process may still hold a file that was detached. */
const handleWaitMs = 2_000;
const retryMs = 50;

/**
 * Runs an ATTACH; waits for whoever is about to let go of the file. Where this very process holds it and nobody knows,
 * the process ends itself, so that a fresh one can open it: an ATTACH that finds no memory leaves its file taken for as
 * long as the engine lives, and every later one of the same file fails, also when there is memory again.
 *
 * @throws Error as the engine says it.
 */
export async function attach(connection: DuckDBConnection, sql: string): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    try {
      await connection.run(sql);
      return;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const isTaken = /unique file handle conflict|database with name .* already exists/i.test(text);
      const waitMs = isTaken ? handleWaitMs : /could not set lock/i.test(text) ? lockWaitMs : 0;
      if (performance.now() - startedMs >= waitMs) {
        if (isTaken) endProcess('an event file is held by an ATTACH that failed; only a fresh process can open it');
        throw error;
      }
    }
    await delay(retryMs);
  }
}
