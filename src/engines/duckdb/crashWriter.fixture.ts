import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { systemRandomness } from '../../core/ids.ts';
import type { EventBatch } from '../../ports/eventLog.ts';
import { builtinSources } from '../../sources/builtin.ts';
import { openDatabase } from '../../stores/sqlite/database.ts';
import { SqliteFileManifest } from '../../stores/sqlite/sqliteFileManifest.ts';
import { openDuckDbStorage } from './openDuckDbStorage.ts';
import { edgeBatch } from './storage.fixture.ts';

/**
 * Appends batches of five events and prints the name of each once it is acknowledged. Uses four writers until it is
 * killed, or one writer for a given number of batches.
 */
const [dataDir = '', run = '', batches] = process.argv.slice(2);
const batchesMax = batches === undefined ? Number.POSITIVE_INFINITY : Number(batches);
const storage = await openDuckDbStorage({
  dataDir,
  clock: systemClock,
  randomness: systemRandomness,
  observe: () => {},
  sources: builtinSources,
  manifest: new SqliteFileManifest(await openDatabase(dataDir)),
  settings: { rotateEvents: 100, mergeFiles: 2 },
});
let next = 0;

/** False if sealing has fallen behind; nothing of the batch is stored then. */
async function isStored(batch: EventBatch): Promise<boolean> {
  try {
    return (await storage.log.append(batch)).kind === 'stored';
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'ingest.overloaded') return false;
    throw error;
  }
}

async function write(): Promise<void> {
  while (next < batchesMax) {
    const name = `${run}.${next++}`;
    const batch = edgeBatch([0, 1, 2, 3, 4].map((n) => `${name}/${n}`));
    while (!(await isStored(batch))) await delay(5);
    writeSync(1, `${name}\n`);
  }
}

await Promise.all(batches === undefined ? [write(), write(), write(), write()] : [write()]);
await storage.close();
