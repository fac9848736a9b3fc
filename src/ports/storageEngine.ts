import type { Readable } from 'node:stream';
import type { EngineLimits } from '../googlesql/engineLimits.ts';
import type { DeletionToken, DeletionWait, EventDeletion } from '../retention/eventDeletion.ts';
import type { ExistingTable, TableChoice } from '../sources/existingTable.ts';
import type { Source } from '../sources/source.ts';
import type { EventChanges } from './eventChanges.ts';
import type { EventCopies } from './eventCopies.ts';
import type { CommittedEvents, EventLog } from './eventLog.ts';
import type { ParquetWriter } from './parquetWriter.ts';
import type { QueryEngine } from './queryEngine.ts';

/** A part of the stored data at the time of a snapshot. */
export interface SnapshotPart {
  /** The same in every snapshot that holds the part; a backup stores it under this name. */
  readonly name: string;
  /** At least 1. */
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
  /** Reads exactly these bytes. */
  open(): Readable;
}

/** Every event that was acknowledged before one moment, and no part of any other batch. Kept until it is released. */
export interface StorageSnapshot {
  readonly events: number;
  readonly parts: readonly SnapshotPart[];
  release(): void;
}

/** The disk space that is left for events. */
export interface StorageSpace {
  /** Whether events are rejected with `ingest.disk_full`. */
  readonly isLow: boolean;
  /** Whether stored events cannot be rewritten in their final form for lack of space. Events may still be accepted. */
  readonly isSealingStopped: boolean;
  /** Null if unknown. */
  readonly freeBytes: number | null;
}

/** Values of an engine for `/metrics`. Read at each scrape. */
export interface EngineReadings {
  /** Memory of its running processes, as far as known; empty if it has no processes of its own. */
  readonly memoryBytes: readonly { readonly process: string; readonly bytes: number }[];
  /** Parts that receive events, and parts that no longer change. */
  readonly activeParts: number;
  readonly sealedParts: number;
}

/** Optional abilities of an engine. The product uses, and the suites test, only those that the engine states. */
export interface EngineCapabilities {
  /**
   * Description of the redactor that events pass before a query sees them (contract, section 6). Without it, runs that
   * require redaction are rejected.
   */
  readonly barrier?: string;
  /**
   * Starts what redacted runs need and others do not, without waiting for it, so that the first redacted run need not start
   * it. Does nothing if that was done before. Without it, nothing has to be started.
   */
  readonly prepareRedaction?: () => void;
  /** Whether `QueryResult.rowsScanned` is exact; otherwise it is a lower bound. */
  readonly isRowsScannedExact: boolean;
  /** Whether damaged parts are quarantined and results say that events are missing (`QueryResult.isDamaged`). */
  readonly findsDamage: boolean;
  /** Whether acknowledged events survive a restart. */
  readonly isDurable: boolean;
  /**
   * The highest arrival number up to which all events are visible to queries and none can appear later, as far as this
   * process knows. It includes the acknowledged events, except those with higher numbers than one that another process is
   * still storing. Without it, answers cannot be read in pages.
   */
  readonly lastArrival?: () => number;
  /**
   * Only for an engine whose events other processes store too. Brings `lastArrival` up to date: to this number, or, if it is
   * null, to what the others had stored a moment ago. Returns false if no process knows so high a number. Rejects with
   * `engine.restarting` if the others cannot be asked.
   */
  readonly reachArrival?: (number: number | null) => Promise<boolean>;
  /** Writes results as Parquet. Without it, no answer has this format. */
  readonly parquet?: ParquetWriter;
  /**
   * Calls the listener after each commit, when its events are visible and `lastArrival` has risen, and before it is
   * acknowledged, unless an earlier number is still being stored. `commit` is null if its sources and projects are unknown,
   * because another process stored it. The listener must not throw. Returns a function that ends this. Without it, results
   * cannot be tailed.
   */
  readonly watchCommits?: (listener: (commit: readonly CommittedEvents[] | null) => void) => () => void;
  /**
   * Tells whether events changed. Without it, for example where others change them, no answer is given again as `unchanged`
   * (decision 103).
   */
  readonly changes?: EventChanges;
  readonly space?: StorageSpace;
  readonly readings?: () => EngineReadings;
  /**
   * Finds the columns of a table that others fill, so that a source can read it (`Source.existing`). Throws
   * `source.invalid` if it cannot be a source, `engine.restarting`. Without it, no source reads such a table.
   */
  readonly describeTable?: ((choice: TableChoice) => Promise<ExistingTable>) | undefined;
  /** Without it, events cannot be copied from this engine to another one, or back. */
  readonly copies?: EventCopies;
  /** Takes a snapshot. `beside` runs while the store matches it, so that it can copy the store. */
  readonly snapshot?: (beside: () => Promise<void>) => Promise<StorageSnapshot>;
}

/**
 * Keeps events and answers queries: the one interface that another engine must implement. How an engine is opened is
 * its own business; `start/openEngine.ts` chooses. `storageEngine.contract.ts` tests the requirements.
 *
 * No query that begins after a removal, by age or on request, sees the removed events (streams.md, "Retention"), even
 * if they are still stored. An engine is opened with `Removals`, whose changes apply at once.
 */
export interface StorageEngine extends EngineCapabilities {
  /** Name in test titles and in messages for operators. */
  readonly name: string;
  /** Queries that exceed these are rejected when they are compiled. */
  readonly limits: EngineLimits;
  readonly log: EventLog;
  readonly queries: QueryEngine;
  /** Resolves when the engine has answered a small request. Rejects if it does not answer before the signal. */
  ping(signal: AbortSignal): Promise<void>;
  /**
   * Prepares storage for the events of a source; once it resolves, they can be appended. Does nothing if that was done
   * before. Throws `ingest.overloaded` if events of others would have to wait for it, `engine.denied` if a user of ours lacks
   * a right, and `engine.failed`. A source that reads a table of others can be queried once it resolves.
   */
  addSource(source: Source): Promise<void>;
  /**
   * Deletes the events that are stored now. `register` makes the deletion with that token durable; no query that begins
   * afterwards sees the events. Throws `ingest.overloaded` and the errors of `register`; nothing is deleted then.
   */
  deleteEvents(register: (token: DeletionToken) => Promise<EventDeletion>): Promise<EventDeletion>;
  /** Progress of the deletions that are incomplete. */
  deletionWaits(deletions: readonly EventDeletion[]): Promise<ReadonlyMap<DeletionToken, DeletionWait>>;
  /** Removes events past their retention, as the engine does every minute. Resolves when that is done. */
  removeNow(): Promise<void>;
  /**
   * Runs `work` while no events are removed. Retention rules may be changed only in `work`: afterwards, removals that
   * began under the old rules are checked again, and remove nothing that must now be kept. Throws `retention.busy`,
   * without running `work`, if its turn does not come soon.
   */
  betweenRemovals<T>(work: () => Promise<T>): Promise<T>;
  /** Completes the work that was accepted. No append, query or ping may start afterwards. */
  close(): Promise<void>;
}

/** The storage cannot be opened and was left unchanged. The message tells the operator why, and what to do. */
export class UnreadableStorage extends Error {}
