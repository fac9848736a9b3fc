import { openDuckDbStorage } from '../engines/duckdb/openDuckDbStorage.ts';
import { UnreadableStorage } from '../ports/storageEngine.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { type CopyTarget, SqlEventCopies } from '../stores/sql/sqlEventCopies.ts';
import { SqliteFileManifest } from '../stores/sqlite/sqliteFileManifest.ts';
import { claimEvents } from './claimEvents.ts';
import { duckDbSettingsOf } from './duckDbSettingsOf.ts';
import type { OpenEngine } from './engineInputs.ts';
import { StartError } from './startError.ts';

/**
 * Opens the engine that keeps the events. Only this function chooses it; the rest of a running service knows only the
 * port. Rejects with a StartError if the data cannot be read.
 */
export const openEngine: OpenEngine = async (inputs) => {
  const { settings, database, shared } = inputs;
  try {
    if (settings.events === 'embedded') {
      await refuseUnfinishedCopy(database, 'embedded');
      if (shared !== null) await claimEvents(shared, database, settings.dataDir, inputs.randomness);
      return await openEmbedded(inputs);
    }
    await refuseUnfinishedCopy(shared?.store.database ?? database, 'clickhouse');
    // Loaded only if it is used, because it would delay every start.
    const { openClickHouse } = await import('./openClickHouse.ts');
    return await openClickHouse(inputs);
  } catch (error) {
    throw error instanceof UnreadableStorage ? new StartError(error.message, { cause: error }) : error;
  }
};

/** Opens the events of a data folder. */
export const openEmbedded: OpenEngine = async ({ settings, database, stored, standbyEngine, ...given }) => {
  return await openDuckDbStorage({
    ...stored,
    ...given,
    dataDir: settings.dataDir,
    manifest: new SqliteFileManifest(database),
    standby: standbyEngine,
    settings: duckDbSettingsOf(settings),
  });
};

/**
 * Throws a StartError if a copy to the target is unfinished: the service would show only a part of the events, and give new
 * events the numbers of those that are missing.
 */
async function refuseUnfinishedCopy(store: StoreDatabase, target: CopyTarget): Promise<void> {
  const copy = await new SqlEventCopies(store).find(target);
  if (copy === null) return;
  const command = `logmill migrate --events-to ${target === 'embedded' ? 'folder' : 'clickhouse'}`;
  throw new StartError(
    `Events are being copied from ${copy.origin}, and the copy is unfinished. Run the same "${command}" again to finish it, or give it up with "${command} --abandon".`,
  );
}
