import type { Readable } from 'node:stream';
import type { EngineLimits } from '../googlesql/engineLimits.ts';
import type { DeletionToken, DeletionWait, EventDeletion } from '../retention/eventDeletion.ts';
import type { Source } from '../sources/source.ts';
import type { EventLog } from './eventLog.ts';
import type { QueryEngine } from './queryEngine.ts';

/** A part of what a storage holds, as it was when a snapshot was taken. */
export interface SnapshotPart {
  /** The same in every snapshot that holds it; a backup keeps it under this name. */
  readonly name: string;
  /** At least 1. */
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
  /** Exactly these bytes. */
  open(): Readable;
}

/** Every event that was acknowledged before one moment, and no part of any other batch. Kept until it is released. */
export interface StorageSnapshot {
  readonly events: number;
  readonly parts: readonly SnapshotPart[];
  release(): void;
}

/** The room that is left for events. */
export interface StorageSpace {
  /** Whether events are refused with `ingest.disk_full`. */
  readonly isLow: boolean;
  /** Null where it is not known. */
  readonly freeBytes: number | null;
}

/** What `/metrics` shows of an engine. Read at each scrape. */
export interface EngineReadings {
  /** Of its processes that run, as far as it is known; none where it has none of its own. */
  readonly memoryBytes: readonly { readonly process: string; readonly bytes: number }[];
  /** Parts that receive events, and parts that do not change any more. */
  readonly activeParts: number;
  readonly sealedParts: number;
}

/** What an engine may do besides; what it does not state, nothing asks of it, and no suite tests. */
export interface EngineCapabilities {
  /**
   * The description of the redactor that events pass before a query sees them (contract, section 6). Without it a run
   * that demands redaction is rejected.
   */
  readonly barrier?: string;
  /** `QueryResult.rowsScanned` is the number itself; otherwise at least that many were looked at. */
  readonly isRowsScannedExact: boolean;
  /** Parts that turn out to be damaged are set aside, and results say what is missing (`QueryResult.isDamaged`). */
  readonly findsDamage: boolean;
  /** What was acknowledged is there after a restart. */
  readonly isDurable: boolean;
  readonly space?: StorageSpace;
  readonly readings?: () => EngineReadings;
  /** Takes a snapshot. `beside` runs while the store agrees with it, so that it can copy that. */
  readonly snapshot?: (beside: () => Promise<void>) => Promise<StorageSnapshot>;
}

/**
 * Where events are kept and queried: the one thing that has to be written for another engine. How it is opened is its
 * own; `start/openEngine.ts` chooses. `storageEngine.contract.ts` says what any adapter must do.
 *
 * What is removed by age or on request is not seen by any query that begins afterwards (streams.md, "Retention"),
 * whether or not it is still stored. An engine is opened with `Removals`, whose changes are in force at once.
 */
export interface StorageEngine extends EngineCapabilities {
  /** As test titles and messages for operators call it. */
  readonly name: string;
  /** Queries beyond these are refused when they are compiled. */
  readonly limits: EngineLimits;
  readonly log: EventLog;
  readonly queries: QueryEngine;
  /** Resolves when the engine has answered something small. Rejects where it does not answer before the signal. */
  ping(signal: AbortSignal): Promise<void>;
  /**
   * Makes the place for events of a source; once it resolves, they can be appended. Nothing where it is there.
   * Throws `ingest.overloaded` where events of others would have to wait for it.
   */
  addSource(source: Source): Promise<void>;
  /**
   * Deletes events that are stored now: `register` makes the deletion with that token durable; from then on no query
   * that begins sees them. Throws `ingest.overloaded`, and what `register` throws; nothing is deleted then.
   */
  deleteEvents(register: (token: DeletionToken) => Promise<EventDeletion>): Promise<EventDeletion>;
  /** How far deletions are that are not complete. */
  deletionWaits(deletions: readonly EventDeletion[]): Promise<ReadonlyMap<DeletionToken, DeletionWait>>;
  /** Takes out what is past its retention, as is done every minute; resolves when that is done. */
  removeNow(): Promise<void>;
  /**
   * Runs the work while no events are taken out. Rules of retention must be changed in it: what was begun by the rules
   * before is looked at again afterwards, and takes nothing out that is to be kept by now. Throws `retention.busy`
   * where its turn does not come soon; it is not run then.
   */
  betweenRemovals<T>(work: () => Promise<T>): Promise<T>;
  /** Settles what was taken. No append, query or ping may be started afterwards. */
  close(): Promise<void>;
}

/** A storage cannot be opened and was left as it is. The message says to whoever operates the service why, and what to do. */
export class UnreadableStorage extends Error {}
