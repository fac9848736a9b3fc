import { writeSync } from 'node:fs';
import { systemClock } from '../../core/clock.ts';
import { systemRandomness } from '../../core/ids.ts';
import { builtinSources } from '../../sources/builtin.ts';
import { openDatabase } from '../../stores/sqlite/database.ts';
import { SqliteFileCatalogue } from '../../stores/sqlite/fileCatalogue.ts';
import { openDuckDbStorage } from './openDuckDbStorage.ts';
import { edgeBatch } from './storage.fixture.ts';

/** Appends batches of five events with four writers until it is killed; prints each name once it is acknowledged. */
const [dataDir = '', run = ''] = process.argv.slice(2);
const storage = await openDuckDbStorage({
  dataDir,
  clock: systemClock,
  randomness: systemRandomness,
  observe: () => {},
  sources: builtinSources,
  catalogue: new SqliteFileCatalogue(await openDatabase(dataDir)),
  settings: { rotateEvents: 100 },
});
let next = 0;

async function write(): Promise<never> {
  for (;;) {
    const name = `${run}.${next++}`;
    await storage.eventLog.append(edgeBatch([0, 1, 2, 3, 4].map((n) => `${name}/${n}`)));
    writeSync(1, `${name}\n`);
  }
}

await Promise.all([write(), write(), write(), write()]);
