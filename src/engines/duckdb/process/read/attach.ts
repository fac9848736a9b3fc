import { setTimeout as delay } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteIdentifier } from '../../sqlText.ts';
import { endProcess } from '../endProcess.ts';
import { untilMemory } from '../untilMemory.ts';

/** How long another process, such as one that is being killed, may still hold an event file. */
const lockWaitMs = 5_000;
/** How long a statement of this process may still hold a detached file. */
const handleWaitMs = 2_000;
const retryMs = 50;

/**
 * Runs an ATTACH, and waits for the process or statement that is about to release the file. If this process itself
 * still holds the file, it ends itself, so that a new process can open the file: an ATTACH that runs out of memory
 * leaves its file locked for the engine's lifetime, and every later one fails even if there is memory again.
 *
 * @throws Error in the engine's words
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

/** Detaches a file, also while queries hold all memory: a file that stays attached cannot be attached again. */
export async function detach(connection: DuckDBConnection, alias: string): Promise<void> {
  await untilMemory(async () => await connection.run(`DETACH ${quoteIdentifier(alias)}`));
}
