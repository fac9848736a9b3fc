import { dirname, join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { Mutex } from '../../core/concurrency/mutex.ts';
import { Turns } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Randomness } from '../../core/ids.ts';
import type { Observe } from '../../core/observation.ts';
import { defaultEngineLimits } from '../../googlesql/engineLimits.ts';
import type { CommittedEvents } from '../../ports/eventLog.ts';
import type { FileManifest } from '../../ports/fileManifest.ts';
import type { StorageEngine } from '../../ports/storageEngine.ts';
import type { EventDeletion } from '../../retention/eventDeletion.ts';
import { Removals } from '../../retention/removals.ts';
import { RetentionRules } from '../../retention/retentionRules.ts';
import type { Source } from '../../sources/source.ts';
import { duckDbCopies } from './copies/duckdbCopies.ts';
import { EventFileStore } from './files/eventFileStore.ts';
import type { EventFiles } from './files/eventFiles.ts';
import { fileChangeError, whileOutOfMemory } from './files/fileChanges.ts';
import { findEvents, openAhead, type StandbyProcess } from './files/folderOpening.ts';
import { deviceOf, FreeSpace, type ReadDevice } from './files/freeSpace.ts';
import { openFilesAgain } from './files/openFilesAgain.ts';
import { SpaceReserve } from './files/spaceReserve.ts';
import { tableLayout } from './files/tableLayout.ts';
import { VisibleChanges } from './files/visibleChanges.ts';
import { EngineConnection } from './host/engineConnection.ts';
import { isNoSpace } from './host/engineFailure.ts';
import { EngineStatements } from './host/engineStatements.ts';
import { EngineSupervisor } from './host/engineSupervisor.ts';
import { FunctionProcess } from './host/functionProcess.ts';
import { ParquetFiles } from './host/parquetFiles.ts';
import { SpillRoom } from './host/spillRoom.ts';
import { ArrivalNumbers } from './log/arrivalNumbers.ts';
import { DuckDbEventLog } from './log/duckdbEventLog.ts';
import { IdentityMemory } from './log/identityMemory.ts';
import { DuckDbQueryEngine } from './query/duckdbQueryEngine.ts';
import type { EngineRunner } from './query/statementRunner.ts';
import { type DuckDbSettings, functionProcesses } from './settings.ts';

export interface DuckDbStorageOptions {
  /** Segments are in its folder `events`. The caller holds the folder's lock. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
  readonly sources: readonly Source[];
  readonly manifest: FileManifest;
  /** Reads the free space; by default, that of the folder's device. */
  readonly readDevice?: ReadDevice;
  /** A process that was started ahead, and what it was told to open, if anything. */
  readonly standby?: StandbyProcess | undefined;
  /** Events that must not be seen; by default none. Changes apply at once. */
  readonly removals?: Removals;
  /** Deletions that were incomplete when the service stopped. */
  readonly openDeletions?: readonly EventDeletion[];
  /** Records that no segment holds an event of a deletion any more. */
  readonly deletionDone?: (deletion: EventDeletion) => Promise<void>;
  /** Records that a segment with events of a complete deletion was put back. */
  readonly deletionReopened?: (deletion: EventDeletion) => Promise<void>;
  /** Turns for long work of the main thread (core/concurrency/turns.ts); its own by default. */
  readonly turns?: Turns;
  /** Differences from `defaultDuckDbSettings`. */
  readonly settings?: Partial<DuckDbSettings>;
}

/** The optional capabilities that this engine states. */
type Stated =
  | 'barrier'
  | 'copies'
  | 'parquet'
  | 'space'
  | 'readings'
  | 'snapshot'
  | 'lastArrival'
  | 'watchCommits'
  | 'changes';

/** The product's engine: DuckDB segments in one folder, and a process that reads and writes them. */
export interface DuckDbStorage extends Omit<StorageEngine, Stated>, Required<Pick<StorageEngine, Stated>> {
  readonly files: EventFiles;
  readonly statements: EngineRunner;
  /** Process id of the engine; null while it is being restarted. */
  readonly enginePid: number | null;
  /** Starts a new active segment. */
  rotateNow(): Promise<void>;
  /** Rotates and waits until every event is in a sealed segment. */
  sealNow(): Promise<void>;
  /** Waits until no sealed segments are left to merge. */
  mergeNow(): Promise<void>;
  /** Limits spilled data to the free space, as is done regularly. */
  boundSpill(): Promise<void>;
  /** Sets space aside for changes on a full device, as is done regularly. */
  reserveSpace(): Promise<void>;
  /** Drops sealed segments by number, with all their events, in one durable change. Returns the dropped numbers. */
  dropSealed(numbers: readonly number[]): Promise<readonly number[]>;
}

/** How long the last checkpoint may take before the process is killed; the next start then replays the log. */
const closeDeadlineMs = 20_000;

/** How often to check the free space and the file of the active segment, even if no events arrive. */
const spaceLookMs = 10_000;

/** How often to look for events past their retention. */
const enforceEveryMs = 60_000;

/**
 * Opens the events of a data folder: starts the engine process, attaches the segments, removes the leftovers of a
 * crash. Rejects if the folder cannot be read, or if an undamaged file cannot be opened.
 */
export async function openDuckDbStorage(options: DuckDbStorageOptions): Promise<DuckDbStorage> {
  const { clock, randomness, observe, manifest, standby, turns = new Turns() } = options;
  const opening = standby?.opening ?? (await findEvents(options.dataDir, options.settings));
  const { folder, found, settings } = opening;
  const [records, dropped, reservedArrivals] = await Promise.all([
    manifest.load(),
    manifest.loadDropped(),
    manifest.loadArrivals(),
  ]);
  const sources = [...options.sources];
  const layouts = sources.map(tableLayout);
  const identities = new IdentityMemory(settings.identityAgeMs, settings.identityCountMin, settings.identityBytesMax);
  const space = new FreeSpace({
    read: options.readDevice ?? deviceOf(folder.path),
    freeBytesMin: settings.freeBytesMin,
    clock,
    observe,
  });
  await space.look();
  const reserve = new SpaceReserve({
    path: folder.reservePath,
    space,
    requireSame: async () => await folder.requireSame(),
    observe,
  });
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
    manifest,
    identities,
    sources,
    layouts,
    clock,
    observe,
    settings,
    space,
    reserve,
  };
  const firstProcess = standby?.process ?? new EngineConnection(settings.statementsMax);
  if (standby?.opening === undefined) openAhead(firstProcess, opening);
  const supervisor = new EngineSupervisor({
    engine: opening.engine,
    standby: firstProcess,
    processBytesMax: settings.processBytesMax,
    observe,
    prepare: async (engine) => {
      // A process that opens the segments again may have lost events, or found some that were thought lost.
      changes.reset();
      await store.prepare(engine);
      changes.reset();
    },
  });
  const highest = Math.max(
    found.highestNumber,
    ...records.map((record) => record.number),
    ...dropped,
    removals.lastToken,
  );
  const store = new EventFileStore(storeOptions, supervisor, highest + 1);
  const changes = new VisibleChanges(store.registry, () => supervisor.engine !== null);
  await supervisor.start();
  let highestArrival = 0;
  try {
    const recovery = { ...storeOptions, bringBack: store.deletions.bringBack.bind(store.deletions) };
    await openFilesAgain(supervisor, recovery, { found, records, dropped }, (opened) => {
      const everyFile = [...opened.sealed, ...opened.active, ...opened.damaged];
      highestArrival = Math.max(0, ...everyFile.map(({ lastArrival }) => lastArrival));
      store.damaged.adopt(opened.damaged, opened.isUnknown);
      store.adopt(opened.sealed, opened.active);
    });
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
  const arrivals = new ArrivalNumbers(manifest, reservedArrivals, highestArrival);
  const commitListeners = new Set<(commit: readonly CommittedEvents[]) => void>();
  const eventLog = new DuckDbEventLog({
    supervisor,
    files: store,
    layouts: writable,
    turns,
    identities,
    arrivals,
    clock,
    randomness,
    settings,
    space,
    lane,
    begin: (commit) => changes.begin(commit),
    committed: (commit) => {
      for (const listener of commitListeners) listener(commit);
    },
  });
  const spillRoom = new SpillRoom({
    space,
    bytesMax: settings.spillBytesMax,
    engines: () => [supervisor, ...functions.map((each) => each.supervisor)].flatMap(({ engine }) => engine ?? []),
    warn: (message, cause) => observe({ kind: 'warning', message, cause }),
  });
  // Even if no events arrive, so that a problem is reported before they do.
  const lookForFile = async () => {
    try {
      await lane.run(async () => await store.replaceIfMissing());
    } catch (cause) {
      observe({ kind: 'warning', message: 'no new file could replace a missing one', cause });
    }
  };
  const looking = setInterval(() => {
    void space.look();
    void reserve.keep();
    void lookForFile();
  }, spaceLookMs);
  looking.unref();
  const enforce = async () => {
    if (!store.enforceRetention()) return;
    try {
      await lane.run(async () => await store.rotateForRemoval());
    } catch (cause) {
      observe({ kind: 'warning', message: 'events past their retention could not be removed yet', cause });
    }
  };
  const enforcing = setInterval(() => void enforce(), enforceEveryMs);
  enforcing.unref();
  const changeFiles = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await reserve.spend(
        async () => await whileOutOfMemory(settings.memoryWaitMs, async () => await lane.run(work)),
      );
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
    limits: defaultEngineLimits,
    log: eventLog,
    queries: new DuckDbQueryEngine(store.registry, statements, turns),
    ping: async (signal) => void (await statements.runValues('select 1', signal)),
    barrier: statements.redactor.description,
    prepareRedaction: () => statements.prepareRedaction(),
    isRowsScannedExact: true,
    findsDamage: true,
    isDurable: true,
    lastArrival: () => arrivals.committed,
    changes,
    parquet: new ParquetFiles({
      supervisor,
      folder: dirname(folder.spillPath),
      restartWaitMs: settings.restartWaitMs,
    }),
    watchCommits: (listener) => {
      commitListeners.add(listener);
      return () => void commitListeners.delete(listener);
    },
    space: {
      get isLow() {
        return space.isLow || (store.isBehind && store.lacksRoom);
      },
      get isSealingStopped() {
        return store.lacksRoom;
      },
      get freeBytes() {
        return space.freeBytes;
      },
    },
    readings: () => {
      const { files } = store.registry;
      const sealedParts = files.filter(({ kind }) => kind === 'sealed').length;
      const memoryBytes = [supervisor, ...functions.map((each) => each.supervisor)].flatMap(({ engine }, n) => {
        const bytes = engine?.residentBytes() ?? null;
        return bytes === null ? [] : [{ process: n === 0 ? 'engine' : `functions-${n}`, bytes }];
      });
      return { memoryBytes, activeParts: files.length - sealedParts, sealedParts };
    },
    copies: duckDbCopies({
      files: store.registry,
      statements,
      log: eventLog,
      arrivals,
      sources: () => [...writable.keys()],
      clock,
    }),
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
        return await reserve.spend(async () => await store.betweenRemovals(work, patience.signal));
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
    reserveSpace: async () => await reserve.keep(),
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
    'Segments are being changed by sealing, compaction or a backup, and rules can change only between two such changes. Nothing was changed. Try again in a few seconds.',
    { retryAfterSeconds: 5 },
  );
}
