import type { Clock } from '../core/clock.ts';
import type { Turns } from '../core/concurrency/turns.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import type { SharedSubject } from '../ports/changeFeed.ts';
import type { StorageEngine } from '../ports/storageEngine.ts';
import type { Source } from '../sources/source.ts';
import type { PostgresStores } from '../stores/postgres/openPostgresStores.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import type { StoredRemovals } from './loadRemovals.ts';
import type { Settings } from './settings.ts';
import type { StandbyEngine } from './standbyEngine.ts';

/** What an engine is opened with. */
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
  /**
   * Applies removals and rules that other nodes have registered. Rejects if those of these subjects could not be loaded. Does
   * nothing before the service follows the store.
   */
  readonly followRemovals: (subjects: readonly SharedSubject[]) => Promise<void>;
  readonly standbyEngine?: StandbyEngine | undefined;
}

export type OpenEngine = (inputs: EngineInputs) => Promise<StorageEngine>;
