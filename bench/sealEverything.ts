import { systemClock } from '../src/core/clock.ts';
import { systemRandomness } from '../src/core/ids.ts';
import { openDuckDbStorage } from '../src/engines/duckdb/openDuckDbStorage.ts';
import { builtinSources } from '../src/sources/builtin.ts';
import { openDatabase } from '../src/stores/sqlite/database.ts';
import { SqliteFileManifest } from '../src/stores/sqlite/sqliteFileManifest.ts';

/** Seals everything that a stopped service has not sealed yet, so that every run measures the same state. */
export async function sealEverything(dataDir: string): Promise<void> {
  const database = await openDatabase(dataDir);
  const storage = await openDuckDbStorage({
    dataDir,
    clock: systemClock,
    randomness: systemRandomness,
    observe: () => undefined,
    sources: builtinSources,
    manifest: new SqliteFileManifest(database),
  });
  await storage.sealNow();
  await storage.mergeNow();
  await storage.close();
  await database.destroy();
}
