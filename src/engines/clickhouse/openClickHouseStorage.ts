import type { Clock } from '../../core/clock.ts';
import type { Turns } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import { FailureReports } from '../../core/failureReports.ts';
import { type Randomness, uuidV4 } from '../../core/ids.ts';
import type { Observe } from '../../core/observation.ts';
import type { Timer } from '../../core/timer.ts';
import { defaultEngineLimits } from '../../googlesql/engineLimits.ts';
import type { SharedSubject } from '../../ports/changeFeed.ts';
import type { CommitLedger } from '../../ports/commitLedger.ts';
import type { EventCopies } from '../../ports/eventCopies.ts';
import type { ParquetWriter } from '../../ports/parquetWriter.ts';
import type { QueryEngine } from '../../ports/queryEngine.ts';
import type { RemovalRecords } from '../../ports/removalRecords.ts';
import { type StorageEngine, UnreadableStorage } from '../../ports/storageEngine.ts';
import type { EventDeletion } from '../../retention/eventDeletion.ts';
import type { Removals } from '../../retention/removals.ts';
import type { Source } from '../../sources/source.ts';
import type { ClickHouseUser } from './connection/clickhouseServer.ts';
import { ClickHouseServers } from './connection/clickhouseServers.ts';
import { refusedStatement } from './connection/refusal.ts';
import { findShards, type Shards, singleShard } from './connection/shards.ts';
import { textWithin } from './connection/textWithin.ts';
import { untilAnswered } from './connection/untilAnswered.ts';
import { clickhouseCopies } from './copies/clickhouseCopies.ts';
import { describeTable } from './existing/describeTable.ts';
import { ClickHouseEventLog } from './log/clickhouseEventLog.ts';
import { CommitWatch } from './log/commitWatch.ts';
import { CompleteCommits } from './log/completeCommits.ts';
import { GivenNumbers } from './log/givenNumbers.ts';
import { InsertRows } from './log/insertRows.ts';
import { SilentNodes } from './log/silentNodes.ts';
import { EventRemoval } from './removal/eventRemoval.ts';
import { StoredTables } from './removal/storedTables.ts';
import type { ClickHouseSettings } from './settings.ts';
import { SourceTables } from './tables/sourceTables.ts';
import { arrivalColumn, storedTable, type TablePlace } from './tables/tableLayout.ts';
import { VisibleEvents } from './tables/visibleEvents.ts';
import type { VisibleRows } from './tables/visibleRows.ts';
import { watchParts } from './tables/watchParts.ts';

/** What the query side of the engine is opened with. */
export interface QuerySide {
  /** Servers with the user who may only read. */
  readonly servers: ClickHouseServers;
  readonly place: TablePlace;
  readonly visible: VisibleRows;
}

/** The query side, once it is open. */
export interface OpenQuerySide {
  readonly queries: QueryEngine;
  readonly barrier: string;
  readonly parquet?: ParquetWriter;
  readonly prepareRedaction?: () => void;
  /** Resident bytes of its processes. */
  readonly memoryBytes?: () => readonly { readonly process: string; readonly bytes: number }[];
  ping(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface ClickHouseStorageOptions {
  readonly urls: readonly string[];
  readonly place: TablePlace;
  /** May make and change the tables of the database. */
  readonly writer: ClickHouseUser;
  /** May only read these tables. */
  readonly reader: ClickHouseUser;
  readonly settings: ClickHouseSettings;
  /** Every source that can receive events now. */
  readonly sources: readonly Source[];
  readonly ledger: CommitLedger;
  readonly records: RemovalRecords;
  readonly removals: Removals;
  readonly openDeletions: readonly EventDeletion[];
  readonly deletionDone: (deletion: EventDeletion) => Promise<void>;
  /**
   * Applies removals and rules that other nodes have registered. Rejects if those of these subjects could not be loaded.
   * Absent for the only node.
   */
  readonly followRemovals?: ((subjects: readonly SharedSubject[]) => Promise<void>) | undefined;
  /** A number that changes with every change of retention rules, by any node. Absent for the only node. */
  readonly rulesGeneration?: (() => Promise<number>) | undefined;
  /** How often this node may have missed what the store held. Absent for the only node. */
  readonly storeInterruptions?: (() => number) | undefined;
  readonly openQueries: (side: QuerySide) => Promise<OpenQuerySide>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly randomness: Randomness;
  readonly turns: Turns;
  readonly observe: Observe;
}

/** The engine that keeps events in ClickHouse. */
export interface ClickHouseStorage extends StorageEngine {
  readonly visible: VisibleRows;
  readonly copies: EventCopies;
}

/** How often this node says that it lives, and hears of the others. */
const hearEveryMs = 2_000;
/** How long that may fail before it is reported. */
const unheardMs = 10_000;
/** How often to look for events that can be removed. */
const removeEveryMs = 60_000;
/** How long the first connection may take. */
const openMs = 30_000;

/**
 * Opens the events in ClickHouse: makes the tables that are missing, and the accounts of which numbers are given. Rejects
 * with UnreadableStorage if ClickHouse cannot be used as it is; the message tells the operator why.
 */
export async function openClickHouseStorage(options: ClickHouseStorageOptions): Promise<ClickHouseStorage> {
  const { place, settings, ledger, removals, clock, timer, observe, turns } = options;
  // Nodes prefer different servers, and each reads from the one that it writes to.
  const urls = rotated(options.urls, options.randomness.bytes(1)[0] ?? 0);
  const writer = new ClickHouseServers({ urls, user: options.writer, timer });
  const reader = new ClickHouseServers({ urls, user: options.reader, timer });
  const node = uuidV4(options.randomness);
  const others = new SilentNodes();
  const sources = new Map<string, Source>();
  const followRemovals = options.followRemovals ?? (async () => {});
  const { freshMs, staleMs, changeMs } = settings;
  const watch = new CommitWatch({ refresh: async () => await commits.refresh(), timer, observe });
  const commits = new CompleteCommits({
    ledger,
    timer,
    freshMs,
    staleMs,
    // Rules may have to wait for the removal of another node, and queries must not wait for that.
    followRemovals: async () => await followRemovals(['deletions']),
    wentBack: () => numbers.wentBack(),
    advanced: (settled) => watch.advanced(settled),
  });
  const visible = new VisibleEvents(commits, removals);
  const tables = new SourceTables(writer, place, settings);
  let shards: Shards = singleShard(writer);
  const stored = new StoredTables({ servers: writer, shards: () => shards, place, changeMs });
  const numbers = new GivenNumbers({
    ledger,
    highest: highestFrom,
    known: () => commits.knownEnd,
    interruptions: options.storeInterruptions ?? (() => 0),
    observe,
  });
  let isSilent = false;
  const patiently = async <T>(work: () => Promise<T>): Promise<T> =>
    await untilAnswered(work, {
      timer,
      withinMs: settings.commitMs,
      failed: (cause) => {
        if (!isSilent) observe({ kind: 'warning', message: notYet(settings.commitMs), cause });
        isSilent = true;
      },
    });
  try {
    // Every step can be repeated.
    await patiently(async () => {
      if (place.cluster === null) await requireOneServer(writer);
      else shards = await findShards(writer, place.cluster, openMs);
    });
    await patiently(async () => await tables.makeDatabase());
    for (const source of options.sources) {
      if (source.existing === undefined) await patiently(async () => await addTable(source));
      else await showTable(source);
    }
    await patiently(skipKnownNumbers);
    others.heard(await ledger.hear(node, clock.nowMicros()));
    await commits.refresh();
  } catch (error) {
    await Promise.all([writer.close(), reader.close()]);
    throw error instanceof UnreadableStorage || error instanceof ServiceError ? error : unusable(error);
  }
  const side = await options.openQueries({ servers: reader, place, visible });

  async function addTable(source: Source): Promise<void> {
    if (sources.has(source.name)) return;
    await tables.make(source);
    sources.set(source.name, source);
  }

  /** The view of an earlier start still stands if this fails, and no source of ours must wait for a table of others. */
  async function showTable(source: Source): Promise<void> {
    try {
      await patiently(async () => await tables.make(source));
    } catch (cause) {
      observe({ kind: 'warning', message: `the view of the source ${source.name} could not be made again`, cause });
    }
  }

  /** The tables can know more than the ledger, if an older copy of the store was restored. */
  async function skipKnownNumbers(): Promise<void> {
    await ledger.skip(removals.lastToken);
    const { end } = await ledger.state();
    const highest = await highestFrom(end);
    if (highest !== null) await ledger.skip(highest);
  }

  /** The highest number of a stored event that is at least `from`; null if there is none. */
  async function highestFrom(from: number): Promise<number | null> {
    const all = [...sources.keys()].map(
      async (source) => await stored.highest(source, arrivalColumn, from, settings.commitMs),
    );
    const found = (await Promise.all(all)).filter((each) => each !== null);
    return found.length === 0 ? null : Math.max(...found);
  }

  const parts = watchParts({ servers: writer, place, partsMax: settings.partsMax, timer, observe });
  const inserts = new InsertRows({
    servers: writer,
    shards: () => shards,
    settings,
    isReplicated: place.cluster !== null,
    timer,
  });
  const log = new ClickHouseEventLog({
    sources,
    ledger,
    commits,
    numbers,
    watch,
    store: async (rows) => await inserts.store(rows),
    tableOf: (source) => storedTable(place, source),
    shardCount: () => shards.count,
    node,
    isBehind: () => parts.isBehind,
    settings,
    clock,
    timer,
    turns,
    observe,
  });
  const removal = new EventRemoval({
    tables: stored,
    sources: () => [...sources.keys()],
    removals,
    openDeletions: options.openDeletions,
    deletionDone: options.deletionDone,
    followRemovals: async () => await followRemovals(['deletions', 'retention']),
    rulesGeneration: options.rulesGeneration ?? (async () => 0),
    ledger,
    numbers,
    records: options.records,
    refresh: async () => await commits.refresh(),
    node,
    clock,
    observe,
    rulesWaitMs: settings.rulesWaitMs,
    abandonedMs: settings.abandonedMs,
  });
  const copies = clickhouseCopies({
    servers: writer,
    place,
    tables: stored,
    visible,
    ledger,
    refresh: async () => await commits.refresh(),
    log,
    sources: () => [...sources.keys()],
    clock,
    timer,
    changeMs,
    patienceMs: settings.commitMs,
  });
  const removeSoon = () => {
    removal.removeNow().catch((cause: unknown) => {
      observe({ kind: 'warning', message: 'events could not be removed yet', cause });
    });
  };
  const removing = setInterval(removeSoon, removeEveryMs);
  const hearReports = new FailureReports(timer, unheardMs);
  const hear = async () => {
    try {
      others.heard(await ledger.hear(node, clock.nowMicros(), others.silent));
      hearReports.succeeded();
      await log.abandonLost();
    } catch (cause) {
      if (hearReports.failed())
        observe({ kind: 'warning', message: 'the store was not told that this node lives', cause });
    }
  };
  let isHearing = false;
  const hearing = setInterval(() => {
    // Otherwise, the newest events would be hidden until some node stores others. The next time tries again.
    numbers.restored().catch(() => undefined);
    // Answers that come late, all at once, must not count as many.
    if (isHearing) return;
    isHearing = true;
    void hear().finally(() => {
      isHearing = false;
    });
  }, hearEveryMs);
  for (const each of [removing, hearing]) each.unref();
  return {
    name: 'ClickHouse',
    limits: defaultEngineLimits,
    log,
    queries: side.queries,
    visible,
    copies,
    barrier: side.barrier,
    ...(side.prepareRedaction === undefined ? {} : { prepareRedaction: side.prepareRedaction }),
    ...(side.parquet === undefined ? {} : { parquet: side.parquet }),
    isRowsScannedExact: false,
    findsDamage: false,
    isDurable: true,
    lastArrival: () => commits.settled,
    reachArrival: async (number) => await commits.reach(number),
    watchCommits: (listener) => watch.watch(listener),
    readings: () => ({ memoryBytes: side.memoryBytes?.() ?? [], activeParts: parts.count, sealedParts: 0 }),
    ping: async (signal) => {
      signal.throwIfAborted();
      await side.ping(signal);
    },
    describeTable: async (choice) =>
      await describeTable(choice, { writer, reader, place, shardCount: shards.count, timeoutMs: openMs }),
    addSource: async (source) => {
      try {
        // Nothing is appended to such a source, and nothing removed from it.
        await (source.existing === undefined ? addTable(source) : tables.make(source));
      } catch (cause) {
        if (cause instanceof UnreadableStorage) throw new ServiceError('engine.failed', cause.message, { cause });
        throw refusedStatement(cause, writer.userName, () => notAdded(cause));
      }
    },
    deleteEvents: async (register) => {
      const deletion = await removal.deleteEvents(register);
      removeSoon();
      return deletion;
    },
    deletionWaits: async (deletions) => removal.waitsOf(deletions),
    removeNow: async () => {
      await removal.removeNow();
    },
    betweenRemovals: async (work) => await removal.betweenRemovals(work),
    close: async () => {
      clearInterval(removing);
      clearInterval(hearing);
      parts.close();
      watch.close();
      await log.close();
      await log.abandonLost();
      await removal.settled();
      await side.close();
      await Promise.all([writer.close(), reader.close()]);
    },
  };
}

const notAdded = (cause: unknown): ServiceError =>
  new ServiceError('ingest.overloaded', 'The event store does not answer, so nothing was changed.', {
    cause,
    retryAfterSeconds: 2,
  });

const notYet = (withinMs: number): string =>
  `ClickHouse does not answer yet; Logmill tries again for up to ${withinMs / 1000} seconds`;

function rotated(urls: readonly string[], by: number): readonly string[] {
  const first = by % urls.length;
  return [...urls.slice(first), ...urls.slice(0, first)];
}

/** Several URLs without a cluster must lead to one server, because its tables are not replicated. */
async function requireOneServer(servers: ClickHouseServers): Promise<void> {
  if (servers.all.length === 1) return;
  const found = await Promise.all(
    servers.all.map(async (server) => await textWithin(server, { statement: 'SELECT serverUUID()' }, openMs)),
  );
  if (new Set(found).size === 1) return;
  throw new UnreadableStorage(
    'LOGMILL_CLICKHOUSE_URL names several servers. They need a cluster that keeps their tables the same: name it with LOGMILL_CLICKHOUSE_CLUSTER.',
  );
}

function unusable(cause: unknown): UnreadableStorage {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new UnreadableStorage(`The events in ClickHouse cannot be used: ${reason}`, { cause });
}
