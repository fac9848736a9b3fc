import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { Mutex } from '../../core/concurrency/mutex.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Randomness } from '../../core/ids.ts';
import type { Observe } from '../../core/observation.ts';
import type { EventLog } from '../../ports/eventLog.ts';
import type { FileManifest } from '../../ports/fileManifest.ts';
import type { DeletionWait, EventDeletion } from '../../retention/eventDeletion.ts';
import { Removals } from '../../retention/removals.ts';
import { RetentionRules } from '../../retention/retentionRules.ts';
import type { Source } from '../../sources/source.ts';
import { EventFilePaths } from './files/eventFilePaths.ts';
import { EventFileStore } from './files/eventFileStore.ts';
import type { EventFiles } from './files/eventFiles.ts';
import { fileChangeError, whileOutOfMemory } from './files/fileChanges.ts';
import type { FilesSnapshot } from './files/filesSnapshot.ts';
import { deviceOf, FreeSpace, type ReadDevice } from './files/freeSpace.ts';
import { openFiles } from './files/recoverFiles.ts';
import { tableLayout } from './files/tableLayout.ts';
import type { EngineConnection } from './host/engineConnection.ts';
import { isNoSpace } from './host/engineFailure.ts';
import { EngineStatements } from './host/engineStatements.ts';
import { EngineSupervisor } from './host/engineSupervisor.ts';
import { FunctionProcess } from './host/functionProcess.ts';
import { SpillRoom } from './host/spillRoom.ts';
import { ArrivalNumbers } from './log/arrivalNumbers.ts';
import { DuckDbEventLog } from './log/duckdbEventLog.ts';
import { IdentityMemory } from './log/idempotency.ts';
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
  /** What differs from `defaultDuckDbSettings`. */
  readonly settings?: Partial<DuckDbSettings>;
}

export interface DuckDbStorage {
  readonly eventLog: EventLog;
  readonly files: EventFiles;
  readonly space: Pick<FreeSpace, 'isLow' | 'freeBytes'>;
  readonly statements: EngineRunner;
  /** The engine process; null while it is being restarted. */
  readonly enginePid: number | null;
  /** Resident bytes of the engine's processes that run; those for functions in JavaScript are numbered from 1. */
  readonly memoryBytes: readonly { readonly process: string; readonly bytes: number }[];
  /**
   * Makes the place for events of a source; once it resolves, they can be appended. Nothing where it is there.
   * Throws `ingest.overloaded` where events of others would have to wait for it.
   */
  addSource(source: Source): Promise<void>;
  /** Has a new active file take over. */
  rotateNow(): Promise<void>;
  /** Rotates and waits until every event is in a sealed file. */
  sealNow(): Promise<void>;
  /** Waits until sealed files that are to be merged are merged. */
  mergeNow(): Promise<void>;
  /**
   * Deletes events that are stored now (retention/eventDeletion.ts): `register` makes the deletion of a boundary
   * durable; from then on no query that begins sees them. Throws `ingest.overloaded`.
   */
  deleteEvents(register: (boundary: number) => Promise<EventDeletion>): Promise<EventDeletion>;
  /** What deletions that are not complete wait for, by boundary. */
  deletionWaits(deletions: readonly EventDeletion[]): Promise<ReadonlyMap<number, DeletionWait>>;
  /** Has what is past its retention taken out of the files, as is done every minute; resolves when that is done. */
  removeNow(): Promise<void>;
  /**
   * Runs the work while no events are taken out of files. Rules of retention must be changed in it: what was begun by
   * the rules before is looked at again afterwards, and takes nothing out that is to be kept by now. Throws
   * `retention.busy` where its turn has not come in `rulesWaitMs`; it is not run then.
   */
  betweenRemovals<T>(work: () => Promise<T>): Promise<T>;
  /** Has what queries may spill follow the room on the device, as is done all the time. */
  boundSpill(): Promise<void>;
  /** Drops sealed files by their numbers, with all their events, in one durable change. Gives those that were dropped. */
  dropSealed(numbers: readonly number[]): Promise<readonly number[]>;
  /**
   * The event files with everything that is committed now. `beside` is run while they are those of the catalogue, so
   * that it can copy that.
   */
  snapshot(beside: () => Promise<void>): Promise<FilesSnapshot>;
  /** Settles what was taken, checkpoints and ends the process. No append or statement may be started afterwards. */
  close(): Promise<void>;
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
    removals.lastBoundary,
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
  return {
    eventLog,
    addSource,
    files: store.registry,
    space,
    statements: new EngineStatements({ supervisor, settings, functions }),
    get enginePid() {
      return supervisor.engine?.pid ?? null;
    },
    get memoryBytes() {
      return [supervisor, ...functions.map((each) => each.supervisor)].flatMap(({ engine }, n) => {
        const bytes = engine?.memory.read() ?? null;
        return bytes === null ? [] : [{ process: n === 0 ? 'engine' : `functions-${n}`, bytes }];
      });
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
