import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { Mutex } from '../../core/concurrency/mutex.ts';
import type { Turns } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Randomness } from '../../core/ids.ts';
import type { Observe } from '../../core/observation.ts';
import type { FileManifest } from '../../ports/fileManifest.ts';
import type { StorageEngine } from '../../ports/storageEngine.ts';
import type { EventDeletion } from '../../retention/eventDeletion.ts';
import { Removals } from '../../retention/removals.ts';
import { RetentionRules } from '../../retention/retentionRules.ts';
import type { Source } from '../../sources/source.ts';
import { EventFilePaths } from './files/eventFilePaths.ts';
import { EventFileStore } from './files/eventFileStore.ts';
import type { EventFiles } from './files/eventFiles.ts';
import { fileChangeError, whileOutOfMemory } from './files/fileChanges.ts';
import { deviceOf, FreeSpace, type ReadDevice } from './files/freeSpace.ts';
import { openFiles } from './files/recoverFiles.ts';
import { tableLayout } from './files/tableLayout.ts';
import type { EngineConnection } from './host/engineConnection.ts';
import { isNoSpace } from './host/engineFailure.ts';
import { EngineStatements } from './host/engineStatements.ts';
import { EngineSupervisor } from './host/engineSupervisor.ts';
import { FunctionProcess } from './host/functionProcess.ts';
import { SpillRoom } from './host/spillRoom.ts';
import { duckdbLimits } from './limits.ts';
import { ArrivalNumbers } from './log/arrivalNumbers.ts';
import { DuckDbEventLog } from './log/duckdbEventLog.ts';
import { IdentityMemory } from './log/idempotency.ts';
import { DuckDbQueryEngine } from './query/duckdbQueryEngine.ts';
import type { EngineRunner } from './query/statementRunner.ts';
import { type DuckDbSettings, defaultDuckDbSettings, functionProcesses } from './settings.ts';

export interface DuckDbStorageOptions {
  /** Event files live in its folder `events`. The caller owns the folder's lock. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
  readonly sources: readonly Source[];
  readonly catalogue: FileManifest;
  /** How the room on the device is read; the folder's own device where it is left out. */
  readonly readDevice?: ReadDevice;
  /** See `startEngineAhead`. */
  readonly standby?: EngineConnection | undefined;
  /** What of the events is not to be seen; nothing where it is left out. Changes are in force at once. */
  readonly removals?: Removals;
  /** Deletions that were not carried out when the service stopped. */
  readonly openDeletions?: readonly EventDeletion[];
  /** Notes that no event of a deletion is in any file any more. */
  readonly deletionDone?: (deletion: EventDeletion) => Promise<void>;
  /** Notes that a file with events of a complete deletion was put back. */
  readonly deletionReopened?: (deletion: EventDeletion) => Promise<void>;
  /** Where long work of the main thread stands in line (core/concurrency/turns.ts); a line of its own where it is left out. */
  readonly turns?: Turns;
  /** What differs from `defaultDuckDbSettings`. */
  readonly settings?: Partial<DuckDbSettings>;
}

/** What this engine states of what an engine may do besides. */
type Stated = 'barrier' | 'space' | 'readings' | 'snapshot';

/** The engine of the product: event files of DuckDB in one folder, and a process that reads and writes them. */
export interface DuckDbStorage extends Omit<StorageEngine, Stated>, Required<Pick<StorageEngine, Stated>> {
  readonly files: EventFiles;
  readonly statements: EngineRunner;
  /** The engine process; null while it is being restarted. */
  readonly enginePid: number | null;
  /** Has a new active file take over. */
  rotateNow(): Promise<void>;
  /** Rotates and waits until every event is in a sealed file. */
  sealNow(): Promise<void>;
  /** Waits until sealed files that are to be merged are merged. */
  mergeNow(): Promise<void>;
  /** Has what queries may spill follow the room on the device, as is done all the time. */
  boundSpill(): Promise<void>;
  /** Drops sealed files by their numbers, with all their events, in one durable change. Gives those that were dropped. */
  dropSealed(numbers: readonly number[]): Promise<readonly number[]>;
}

/** How long the last checkpoint may take before the process is killed; the log is then replayed at the next start. */
const closeDeadlineMs = 20_000;

/** How often the room on the device, and whether the file that receives events is there, are looked at besides when events come. */
const spaceLookMs = 10_000;

/** How often it is looked for what is past its retention. */
const enforceEveryMs = 60_000;

/**
 * Opens the events of a data folder: starts the engine process, attaches the files, clears away what
 * a crash left. Rejects where the folder cannot be read or a file cannot be opened for a reason that
 * is not the file's own.
 */
export async function openDuckDbStorage(options: DuckDbStorageOptions): Promise<DuckDbStorage> {
  const settings: DuckDbSettings = { ...defaultDuckDbSettings, ...options.settings };
  const { clock, randomness, observe, catalogue } = options;
  const folder = new EventFilePaths(options.dataDir);
  await folder.create();
  const [found, records, dropped, reservedArrivals] = await Promise.all([
    folder.read(),
    catalogue.load(),
    catalogue.loadDropped(),
    catalogue.loadArrivals(),
  ]);
  const sources = [...options.sources];
  const layouts = sources.map(tableLayout);
  const identities = new IdentityMemory(settings.identityAgeMs, settings.identityCountMin);
  const space = new FreeSpace({
    read: options.readDevice ?? deviceOf(folder.path),
    freeBytesMin: settings.freeBytesMin,
    clock,
    observe,
  });
  await space.look();
  const removals = options.removals ?? new Removals(new RetentionRules({ days: 0, bySource: new Map() }));
  const { openDeletions = [], deletionDone = async () => {}, deletionReopened = async () => {} } = options;
  const lane = new Mutex();
  const storeOptions = {
    commits: lane,
    removals,
    openDeletions,
    deletionDone,
    deletionReopened,
    folder,
    catalogue,
    identities,
    sources,
    layouts,
    clock,
    observe,
    settings,
    space,
  };
  const supervisor = new EngineSupervisor({
    engine: { ...settings, eventsDir: folder.path, spillDir: folder.spillPath, hasScripted: false },
    standby: options.standby,
    processBytesMax: settings.processBytesMax,
    observe,
    prepare: async (engine) => await store.prepare(engine),
  });
  const highest = Math.max(
    found.highestNumber,
    ...records.map((record) => record.number),
    ...dropped,
    removals.lastToken,
  );
  const store = new EventFileStore(storeOptions, supervisor, highest + 1);
  await supervisor.start();
  let highestArrival = 0;
  try {
    const opening = { ...storeOptions, bringBack: store.deletions.bringBack.bind(store.deletions) };
    const opened = await openFiles(await supervisor.ready(), opening, found, records, dropped);
    const everyFile = [...opened.sealed, ...opened.active, ...opened.damaged];
    highestArrival = Math.max(0, ...everyFile.map(({ lastArrival }) => lastArrival));
    store.damaged.adopt(opened.damaged, opened.isUnknown);
    store.adopt(opened.sealed, opened.active);
    await store.current();
  } catch (error) {
    await supervisor.close([], 0);
    throw error;
  }
  const functions = Array.from(
    { length: functionProcesses },
    (_, n) =>
      new FunctionProcess({
        settings,
        eventsDir: folder.path,
        spillDir: join(folder.functionsSpillPath, String(n)),
        copiesDir: join(folder.functionsSpillPath, `${n}-copies`),
        observe,
        main: supervisor,
        attached: () => store.registry.attached,
        activeFiles: () => store.registry.files.filter((file) => file.kind === 'active'),
        space,
      }),
  );
  const writable = new Map(layouts.map((layout) => [layout.table, layout]));
  const eventLog = new DuckDbEventLog({
    supervisor,
    files: store,
    layouts: writable,
    identities,
    arrivals: new ArrivalNumbers(catalogue, reservedArrivals, highestArrival),
    clock,
    randomness,
    settings,
    space,
    lane,
  });
  const spillRoom = new SpillRoom({
    space,
    bytesMax: settings.spillBytesMax,
    engines: () => [supervisor, ...functions.map((each) => each.supervisor)].flatMap(({ engine }) => engine ?? []),
    warn: (message, cause) => observe({ kind: 'warning', message, cause }),
  });
  // Also where no events come, so that it is told before they do.
  const lookForFile = async () => {
    try {
      await lane.run(async () => await store.replaceIfMissing());
    } catch (cause) {
      observe({ kind: 'warning', message: 'no file could take over from one that is missing', cause });
    }
  };
  const looking = setInterval(() => {
    void space.look();
    void lookForFile();
  }, spaceLookMs);
  looking.unref();
  const enforce = async () => {
    if (!store.enforceRetention()) return;
    try {
      await lane.run(async () => await store.rotateForRemoval());
    } catch (cause) {
      observe({ kind: 'warning', message: 'events past their retention could not be taken out yet', cause });
    }
  };
  const enforcing = setInterval(() => void enforce(), enforceEveryMs);
  enforcing.unref();
  const changeFiles = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await whileOutOfMemory(settings.memoryWaitMs, async () => await lane.run(work));
    } catch (error) {
      if (isNoSpace(error)) await space.noteRefusedWrite();
      throw fileChangeError(error);
    }
  };
  const rotateNow = async () => await changeFiles(async () => void (await store.rotate()));
  const addSource = async (source: Source) =>
    await changeFiles(async () => {
      if (writable.has(source.name)) return;
      const layout = tableLayout(source);
      if (!layouts.some(({ table }) => table === layout.table)) {
        sources.push(source);
        layouts.push(layout);
      }
      await store.addTable(layout);
      writable.set(layout.table, layout);
    });
  const statements = new EngineStatements({ supervisor, settings, functions });
  return {
    name: 'DuckDB',
    limits: duckdbLimits,
    log: eventLog,
    queries: new DuckDbQueryEngine(store.registry, statements, options.turns),
    ping: async (signal) => void (await statements.runValues('select 1', signal)),
    barrier: statements.redactor.description,
    isRowsScannedExact: true,
    findsDamage: true,
    isDurable: true,
    space,
    readings: () => {
      const { files } = store.registry;
      const sealedParts = files.filter(({ kind }) => kind === 'sealed').length;
      const memoryBytes = [supervisor, ...functions.map((each) => each.supervisor)].flatMap(({ engine }, n) => {
        const bytes = engine?.memory.read() ?? null;
        return bytes === null ? [] : [{ process: n === 0 ? 'engine' : `functions-${n}`, bytes }];
      });
      return { memoryBytes, activeParts: files.length - sealedParts, sealedParts };
    },
    addSource,
    files: store.registry,
    statements,
    get enginePid() {
      return supervisor.engine?.pid ?? null;
    },
    rotateNow,
    sealNow: async () => {
      await rotateNow();
      await store.sealed();
    },
    mergeNow: async () => {
      await store.merged();
    },
    deleteEvents: async (register) => await changeFiles(async () => await store.deleteEvents(register)),
    deletionWaits: async (deletions) => await store.deletions.waitsOf(deletions),
    removeNow: async () => {
      await enforce();
      await store.sealed();
      await store.merged();
    },
    betweenRemovals: async (work) => {
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(rulesBusy()), settings.rulesWaitMs);
      try {
        return await store.betweenRemovals(work, patience.signal);
      } finally {
        clearTimeout(timer);
      }
    },
    dropSealed: async (numbers) => {
      const sealed = store.registry.files.filter((file) => file.kind === 'sealed');
      const dropped = await store.dropSealed(sealed.filter(({ number }) => numbers.includes(number)));
      return dropped.map(({ number }) => number);
    },
    boundSpill: async () => await spillRoom.look(),
    snapshot: async (beside) => await store.snapshot(beside),
    close: async () => {
      clearInterval(looking);
      clearInterval(enforcing);
      spillRoom.close();
      await eventLog.close();
      for (const each of functions) await each.close();
      await supervisor.close(await store.close(), closeDeadlineMs);
    },
  };
}

function rulesBusy(): ServiceError {
  return new ServiceError(
    'retention.busy',
    'Event files are being changed, by sealing, merging or a backup, and rules change only between two such changes. Nothing was changed; ask again in a few seconds.',
    { retryAfterSeconds: 5 },
  );
}
