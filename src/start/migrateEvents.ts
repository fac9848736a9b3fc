import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { counted } from '../core/counted.ts';
import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import type { EventCopies } from '../ports/eventCopies.ts';
import { type StorageEngine, UnreadableStorage } from '../ports/storageEngine.ts';
import type { Source } from '../sources/source.ts';
import type { PostgresStore } from '../stores/postgres/openPostgres.ts';
import { OtherStore, requireEarlierState } from '../stores/sql/copyDefinitions.ts';
import { copyRemovals } from '../stores/sql/copyRemovals.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { SqlDeletionStore } from '../stores/sql/sqlDeletionStore.ts';
import { type CopyTarget, SqlEventCopies, type UnfinishedCopy } from '../stores/sql/sqlEventCopies.ts';
import { SqlRetentionStore } from '../stores/sql/sqlRetentionStore.ts';
import { SqlSourceStore } from '../stores/sql/sqlSourceStore.ts';
import { folderId } from '../stores/sqlite/folderId.ts';
import { claimEvents } from './claimEvents.ts';
import { type CopiedEvents, type CopyProgress, compareEvents, copyEvents, EventsDiffer } from './copyEvents.ts';
import { declareSources } from './declareSources.ts';
import type { EngineInputs } from './engineInputs.ts';
import { loadRemovals, type StoredRemovals } from './loadRemovals.ts';
import { withMigrationStores } from './migrationStores.ts';
import { openEmbedded } from './openEngine.ts';
import { serviceSources } from './serviceEndpoints.ts';
import type { Settings } from './settings.ts';
import { StartError } from './startError.ts';

/** Where events go: to ClickHouse (`LOGMILL_CLICKHOUSE_URL`) or back to the data folder. */
export type EventTarget = 'clickhouse' | 'folder';

export interface EventMigration {
  readonly settings: Settings;
  readonly target: EventTarget;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
  readonly progress: (progress: CopyProgress) => void;
}

/** A store of events, and the database that records what was removed from it. */
interface Side {
  readonly engine: CopyTarget;
  readonly database: StoreDatabase;
}

/**
 * Copies the events between the data folder and ClickHouse, while no service uses either, and compares them. If it is
 * interrupted, the next call continues. Definitions stay where they are.
 *
 * @throws StartError if a service runs, if a store cannot be used, if the target holds other events, or if the copy differs
 */
export async function migrateEvents(migration: EventMigration): Promise<CopiedEvents> {
  const { settings, target, clock } = migration;
  if (settings.clickhouseUrl === undefined) {
    throw new StartError(
      'LOGMILL_CLICKHOUSE_URL names no server. Set it, and the other settings of ClickHouse, for this command in both directions.',
    );
  }
  return await withMigrationStores(settings, target === 'folder', clock.nowMicros(), async (folder, postgres) => {
    const embedded: Side = { engine: 'embedded', database: folder };
    const clickhouse: Side = { engine: 'clickhouse', database: postgres?.database ?? folder };
    const [from, into] = target === 'folder' ? [clickhouse, embedded] : [embedded, clickhouse];
    if (postgres !== null) await requireDefinitions(folder, postgres, settings);
    return await new Migration(migration, from, into, folder, postgres).run();
  }).catch((error: unknown) => {
    throw error instanceof UnreadableStorage ? new StartError(error.message, { cause: error }) : error;
  });
}

/**
 * Gives up a copy of events that has begun and not ended, so that services can start on the target again. Changes no
 * events: the target keeps those that were copied. Returns the stores of the copy.
 *
 * @throws StartError if a service runs, if a store cannot be used, or if no copy has begun
 */
export async function abandonEventCopy(
  { settings, clock }: Pick<EventMigration, 'settings' | 'clock'>,
  target: EventTarget,
): Promise<UnfinishedCopy> {
  return await withMigrationStores(settings, false, clock.nowMicros(), async (folder, postgres) => {
    const [engine, database] =
      target === 'folder' ? (['embedded', folder] as const) : (['clickhouse', postgres?.database ?? folder] as const);
    const copies = new SqlEventCopies(database);
    const begun = await copies.find(engine);
    if (begun === null) throw new StartError(`Nothing was changed: no copy of events to ${target} has begun.`);
    await copies.end(engine);
    return begun;
  });
}

/** Sources and retention rules are read from PostgreSQL, so PostgreSQL must have those of the folder. */
async function requireDefinitions(folder: StoreDatabase, postgres: PostgresStore, settings: Settings): Promise<void> {
  try {
    await requireEarlierState(postgres.database, folder);
  } catch (error) {
    if (!(error instanceof OtherStore)) throw error;
    throw new StartError(
      `The data folder ${settings.dataDir} holds definitions that the store in PostgreSQL does not have. Copy them first with "logmill migrate --to postgres".`,
      { cause: error },
    );
  }
}

/** How long deletions may take to complete, and how often to look. */
const deletionMs = 600_000;
const deletionEveryMs = 100;

class Migration {
  readonly #given: EventMigration;
  readonly #from: Side;
  readonly #into: Side;
  /** The database with sources and retention rules. */
  readonly #definitions: StoreDatabase;
  readonly #folder: StoreDatabase;
  readonly #postgres: PostgresStore | null;

  constructor(given: EventMigration, from: Side, into: Side, folder: StoreDatabase, postgres: PostgresStore | null) {
    this.#given = given;
    this.#from = from;
    this.#into = into;
    this.#definitions = postgres?.database ?? folder;
    this.#folder = folder;
    this.#postgres = postgres;
  }

  async run(): Promise<CopiedEvents> {
    const { settings } = this.#given;
    const registry = await declareSources(
      { ...settings, events: this.#into.engine },
      new SqlSourceStore(this.#definitions),
    );
    const sources = [...registry.byName.values(), ...serviceSources.values()].filter(
      ({ existing }) => existing === undefined,
    );
    const source = await this.#open(this.#from, sources, await this.#removed());
    try {
      await this.#requireWhole(source);
      // Opened with the deletions of the source, so that the target does not use their tokens again.
      const engine = await this.#open(this.#into, sources, await this.#removed());
      try {
        return await this.#copy(copiesOf(source), copiesOf(engine), sources);
      } finally {
        await engine.close();
      }
    } finally {
      await source.close();
    }
  }

  async #copy(from: EventCopies, into: EventCopies, sources: readonly Source[]): Promise<CopiedEvents> {
    const { clock, progress, randomness, settings } = this.#given;
    const copies = new SqlEventCopies(this.#into.database);
    const folder = `the data folder ${await folderId(this.#folder, randomness)}`;
    const clickhouse = `the database ${settings.clickhouseDatabase} of ClickHouse at ${settings.clickhouseUrl}`;
    const copy =
      this.#from.engine === 'embedded' ? { origin: folder, place: clickhouse } : { origin: clickhouse, place: folder };
    const begun = await copies.find(this.#into.engine);
    let copiedEvents = 0;
    const counting = (at: CopyProgress): void => {
      if (at.step === 'copying') copiedEvents = at.events;
      progress(at);
    };
    const inputs = { from, into, sources, clock, progress: counting };
    const deleted = await this.#deletedSince();
    // Events that this copy did not store must equal those of the source, or the copy would replace them.
    if (begun?.origin !== copy.origin || begun.place !== copy.place) {
      const last = await into.last();
      try {
        if (last !== null) await compareEvents(inputs, last);
      } catch (error) {
        throw this.#explained(error, 'Nothing was changed: the target holds other events than the source', deleted, 0);
      }
    }
    if (this.#into.engine === 'embedded' && this.#postgres !== null) {
      await claimEvents({ store: this.#postgres }, this.#folder, settings.dataDir, randomness);
    }
    await copies.begin(this.#into.engine, copy);
    if (this.#from.database !== this.#into.database) await copyRemovals(this.#from.database, this.#into.database);
    try {
      const copied = await copyEvents(inputs);
      await copies.end(this.#into.engine);
      return copied;
    } catch (error) {
      throw this.#explained(
        error,
        'The copy differs from the source, and no service can use it',
        deleted,
        copiedEvents,
      );
    }
  }

  /** The projects of whose events the source has removed some since the last copy to the target began. */
  async #deletedSince(): Promise<readonly string[]> {
    if (this.#from.database === this.#into.database) return [];
    const known = new Set((await new SqlDeletionStore(this.#into.database).load()).map(({ id }) => id));
    const all = await new SqlDeletionStore(this.#from.database).load();
    return [...new Set(all.filter(({ id }) => !known.has(id)).map(({ project }) => project))];
  }

  #explained(error: unknown, problem: string, deleted: readonly string[], copied: number): unknown {
    if (error instanceof StartError) return error;
    if (!(error instanceof EventsDiffer)) {
      const full = this.#fullDisk(error);
      const reason = full ?? this.#busy(error) ?? (error instanceof Error ? error.message : String(error));
      const advice = full === null ? 'Run the same command again' : 'Free some space and run the same command again';
      const done = copied === 0 ? 'No event was copied' : `${counted(copied, 'event')} were copied by this run`;
      return new StartError(`The copy has stopped: ${reason.replace(/\.$/, '')}. ${done}. ${advice} to continue.`, {
        cause: error,
      });
    }
    const { settings } = this.#given;
    const advice =
      this.#into.engine === 'clickhouse'
        ? `Name an empty database with LOGMILL_CLICKHOUSE_DATABASE instead of ${settings.clickhouseDatabase}.`
        : `Name an empty folder with --data-dir instead of ${settings.dataDir}.`;
    const reason =
      deleted.length === 0
        ? ''
        : ` Events of ${listed(deleted)} were deleted in the source after the last copy, and a copy cannot remove them from the target.`;
    return new StartError(`${problem}: ${error.message}.${reason} ${advice} All events are copied again.`, {
      cause: error,
    });
  }

  /** Which disk is full; null for any other error. The engines say it in words for senders. */
  #fullDisk(error: unknown): string | null {
    if (!(error instanceof ServiceError)) return null;
    const { dataDir } = this.#given.settings;
    if (error.code === 'service.disk_full') return `the disk of the data folder ${dataDir} is full`;
    if (error.code !== 'ingest.disk_full') return null;
    return this.#into.engine === 'clickhouse'
      ? 'the disk of ClickHouse is full'
      : `the disk of the data folder ${dataDir} is full, or has less free space than LOGMILL_DISK_FREE_MIN keeps free`;
  }

  /** That the target did not store events in time, in words for the operator; null for any other error. */
  #busy(error: unknown): string | null {
    if (!(error instanceof ServiceError) || error.code !== 'ingest.overloaded') return null;
    const place = this.#into.engine === 'clickhouse' ? 'ClickHouse' : 'the data folder';
    return `${place} did not store the events in time`;
  }

  /** Deleted events must be gone before the rest is copied, because a deletion has no meaning in the other store. */
  async #requireWhole(engine: StorageEngine): Promise<void> {
    if (copiesOf(engine).isDamaged) {
      throw new StartError(
        'Segments of the data folder are in quarantine, and a copy would lack their events. "logmill doctor" names them; put them back, or remove them.',
      );
    }
    const deletions = new SqlDeletionStore(this.#from.database);
    for (const untilMs = performance.now() + deletionMs; ; ) {
      const open = (await deletions.load()).filter(({ completedMicros }) => completedMicros === null);
      const [first] = open;
      if (first === undefined) return;
      if (performance.now() > untilMs) {
        throw new StartError(
          `Nothing was changed: the deletion ${first.id} of events of ${first.project} is not complete yet. Start the service until it is.`,
        );
      }
      await engine.removeNow();
      await delay(deletionEveryMs);
    }
  }

  /** The removals of the source, whose events must not come back. */
  async #removed(): Promise<StoredRemovals> {
    const { settings, clock } = this.#given;
    const rules = new SqlRetentionStore(this.#definitions);
    const { database } = this.#from;
    const retention = { load: () => rules.load(), loadMarks: () => new SqlRetentionStore(database).loadMarks() };
    return await loadRemovals(settings, retention, new SqlDeletionStore(database), clock);
  }

  async #open({ engine, database }: Side, sources: readonly Source[], stored: StoredRemovals): Promise<StorageEngine> {
    const { settings, clock, randomness, observe } = this.#given;
    const inputs: EngineInputs = {
      settings: { ...settings, events: engine },
      clock,
      randomness,
      observe,
      turns: new Turns(),
      database,
      shared: null,
      sources,
      stored,
      followRemovals: async () => undefined,
    };
    if (engine === 'embedded') return await openEmbedded(inputs);
    const { openClickHouseToCopy } = await import('./openClickHouse.ts');
    return await openClickHouseToCopy(inputs);
  }
}

const listedMax = 5;

function listed(projects: readonly string[]): string {
  const shown = projects.slice(0, listedMax).map((project) => JSON.stringify(project));
  const more = projects.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more projects`] : [])].join(', ');
}

function copiesOf({ name, copies }: StorageEngine): EventCopies {
  if (copies === undefined) throw new Error(`${name} copies no events`);
  return copies;
}
