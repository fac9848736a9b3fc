import type { Clock } from '../core/clock.ts';
import type { Turns } from '../core/concurrency/turns.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import { openDuckDbStorage } from '../engines/duckdb/openDuckDbStorage.ts';
import { defaultDuckDbSettings } from '../engines/duckdb/settings.ts';
import { type StorageEngine, UnreadableStorage } from '../ports/storageEngine.ts';
import type { Source } from '../sources/source.ts';
import type { PostgresStores } from '../stores/postgres/openPostgresStores.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { SqliteFileManifest } from '../stores/sqlite/sqliteFileManifest.ts';
import { claimEvents } from './claimEvents.ts';
import type { StoredRemovals } from './loadRemovals.ts';
import { redactionConfigOf } from './redactionSettings.ts';
import type { Settings } from './settings.ts';
import type { StandbyEngine } from './standbyEngine.ts';
import { StartError } from './startError.ts';

export interface EngineInputs {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
  readonly turns: Turns;
  readonly database: StoreDatabase;
  /** What nodes share; null if the store is embedded. */
  readonly shared: PostgresStores | null;
  /** Every source that can receive events now. */
  readonly sources: readonly Source[];
  readonly stored: StoredRemovals;
  readonly standbyEngine?: StandbyEngine | undefined;
}

export type OpenEngine = (inputs: EngineInputs) => Promise<StorageEngine>;

/**
 * Opens the engine that keeps the events of a data folder. Only this function chooses the engine; the rest of a running
 * service knows only the port. Rejects with a StartError if the data cannot be read.
 */
export const openEngine: OpenEngine = async ({ settings, database, shared, stored, standbyEngine, ...given }) => {
  if (shared !== null) await claimEvents(shared, database, settings.dataDir, given.randomness);
  try {
    return await openDuckDbStorage({
      ...stored,
      ...given,
      dataDir: settings.dataDir,
      manifest: new SqliteFileManifest(database),
      standby: standbyEngine,
      settings: {
        ...defaultDuckDbSettings,
        threads: settings.engineThreads,
        memoryBytesMax: settings.memory,
        // Text functions can exceed the engine's own limit; three times the limit is a runaway.
        processBytesMax: Math.max(defaultDuckDbSettings.processBytesMax, 3 * settings.memory),
        statementsMax: settings.queryConcurrency,
        functionWaitMs: settings.queryQueueWaitMs,
        rotateEvents: settings.segmentEvents,
        budgetBytes: settings.diskBudget,
        freeBytesMin: settings.diskFreeMin ?? null,
        redaction: redactionConfigOf(settings),
        redactionRowsMax: settings.redactionRowsMax,
      },
    });
  } catch (error) {
    throw error instanceof UnreadableStorage ? new StartError(error.message, { cause: error }) : error;
  }
};
