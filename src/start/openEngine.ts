import { openDuckDbStorage } from '../engines/duckdb/openDuckDbStorage.ts';
import { UnreadableStorage } from '../ports/storageEngine.ts';
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
  try {
    if (inputs.settings.events === 'embedded') return await openEmbedded(inputs);
    // Loaded only if it is used, because it would delay every start.
    const { openClickHouse } = await import('./openClickHouse.ts');
    return await openClickHouse(inputs);
  } catch (error) {
    throw error instanceof UnreadableStorage ? new StartError(error.message, { cause: error }) : error;
  }
};

const openEmbedded: OpenEngine = async ({ settings, database, shared, stored, standbyEngine, ...given }) => {
  if (shared !== null) await claimEvents(shared, database, settings.dataDir, given.randomness);
  return await openDuckDbStorage({
    ...stored,
    ...given,
    dataDir: settings.dataDir,
    manifest: new SqliteFileManifest(database),
    standby: standbyEngine,
    settings: duckDbSettingsOf(settings),
  });
};
