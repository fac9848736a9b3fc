import type { ManualClock } from '../core/clock.ts';
import type { RedactionConfig } from '../redact/redactionConfig.ts';
import type { DeletionToken } from '../retention/eventDeletion.ts';
import type { Removals } from '../retention/removals.ts';
import type { Source } from '../sources/source.ts';
import type { StoredEvent } from './eventLog.ts';
import type { QueryResult, RunRequest } from './queryEngine.ts';
import type { EngineCapabilities, StorageEngine } from './storageEngine.ts';

/** An open engine with everything that a suite needs around it. */
export interface StorageHarness {
  /** Changes at a restart. */
  readonly engine: StorageEngine;
  /** The clock that the engine was given. */
  readonly clock: ManualClock;
  /** What the engine was opened with. */
  readonly removals: Removals;
  /** Deletions that the engine has reported as complete. */
  readonly deletionsDone: readonly DeletionToken[];
  /** How often the process that runs statements was started. */
  readonly starts: number;
  /** Stores events in any way that the harness chooses, not necessarily through the log. */
  seed(source: string, events: readonly StoredEvent[]): Promise<void>;
  /** Returns every stored event of a source, in any order, with hot cells; `irregular` may be empty. */
  read(source: string): Promise<readonly StoredEvent[]>;
  /** Returns the ids of every stored event of a source, in the order of their arrival numbers. */
  idsByArrival(source: string): Promise<readonly string[]>;
  /** Moves the stored events to wherever the engine keeps older ones. */
  age(): Promise<void>;
  /** Merges what was aged. Absent if the engine keeps it as it is, or merges it by itself. */
  merge?(): Promise<void>;
  /**
   * Runs a request whose plan lacks the project filter, as if planning had a defect. Every other check of the engine
   * still applies.
   */
  runUnheld(request: RunRequest, signal: AbortSignal): Promise<QueryResult>;
  /** Closes the engine and reopens it on the same data. Only for engines that state `isDurable`. */
  restart(): Promise<void>;
  /**
   * Kills the process that runs statements, like kill -9; the engine must recover on its own. Only for engines that
   * state `crashes`.
   */
  crash(): Promise<void>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  /** The built-in sources if absent. */
  readonly sources?: readonly Source[];
  /** Nothing is removed if absent. */
  readonly removals?: Removals;
  readonly redaction?: RedactionConfig;
  readonly redactionRowsMax?: number;
  readonly memoryBytesMax?: number;
  /** Events after which the engine begins another part, if it has parts. */
  readonly partEvents?: number;
  /** Parts that it merges into one. */
  readonly mergeParts?: number;
}

/** An engine for the suites to test. */
export interface EngineUnderTest {
  readonly name: string;
  /** Its stated abilities, known before it is opened. Suites skip what an engine does not state, and say so. */
  readonly states: Pick<EngineCapabilities, 'isDurable' | 'findsDamage' | 'isRowsScannedExact'> & {
    readonly barrier: boolean;
    readonly snapshot: boolean;
    /** Whether answers can be read in pages. */
    readonly pages: boolean;
    /** Whether it writes Parquet. */
    readonly parquet: boolean;
    /** Whether it streams results. */
    readonly streams: boolean;
    /** Whether results can be tailed. */
    readonly tails: boolean;
    /** Whether it tells what changed, so that answers can be given again. */
    readonly changes: boolean;
    /** Whether events later move to parts that no longer change. */
    readonly seals: boolean;
    /** Whether statements run in a separate process, which can crash. */
    readonly crashes: boolean;
  };
  /** Opens the engine with an empty storage. */
  open(options?: HarnessOptions): Promise<StorageHarness>;
}
