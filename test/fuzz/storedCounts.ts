import { systemClock } from '../../src/core/clock.ts';
import { systemRandomness } from '../../src/core/ids.ts';
import { openDuckDbStorage } from '../../src/engines/duckdb/openDuckDbStorage.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import { openDatabase } from '../../src/stores/sqlite/database.ts';
import { SqliteFileManifest } from '../../src/stores/sqlite/sqliteFileManifest.ts';

/** How many events of each source the folder of a stopped service holds, of all projects. */
export async function storedCounts(dataDir: string): Promise<ReadonlyMap<string, number>> {
  const database = await openDatabase(dataDir);
  const storage = await openDuckDbStorage({
    dataDir,
    clock: systemClock,
    randomness: systemRandomness,
    observe: () => undefined,
    sources: builtinSources,
    manifest: new SqliteFileManifest(database),
  });
  const lease = storage.files.lease();
  const counts = builtinSources.map(({ name }) => {
    const count = lease.files.reduce((sum, file) => sum + (file.stats(name, null)?.count ?? 0), 0);
    return [name, count] as const;
  });
  lease.release();
  await storage.close();
  await database.destroy();
  return new Map(counts);
}
