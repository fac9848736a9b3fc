import type { ManualClock } from '../core/clock.ts';
import type { RedactionConfig } from '../redact/redactionConfig.ts';
import type { DeletionToken } from '../retention/eventDeletion.ts';
import type { Removals } from '../retention/removals.ts';
import type { Source } from '../sources/source.ts';
import type { StoredEvent } from './eventLog.ts';
import type { QueryResult, RunRequest } from './queryEngine.ts';
import type { EngineCapabilities, StorageEngine } from './storageEngine.ts';

/** An open engine with what a suite needs around it. */
export interface StorageHarness {
  /** After a restart another one. */
  readonly engine: StorageEngine;
  /** The clock that the engine was given. */
  readonly clock: ManualClock;
  /** What the engine was opened with. */
  readonly removals: Removals;
  /** Deletions that the engine has told to be done. */
  readonly deletionsDone: readonly DeletionToken[];
  /** How often what runs statements was started. */
  readonly starts: number;
  /** Puts events in by a way of the harness, which need not be the log. */
  seed(source: string, events: readonly StoredEvent[]): Promise<void>;
  /** Every stored event of a source, in any order, hot cells included; `irregular` may be left empty. */
  read(source: string): Promise<readonly StoredEvent[]>;
  /** Ids of every stored event of a source, in the order of their arrival numbers. */
  idsByArrival(source: string): Promise<readonly string[]>;
  /** Moves what is stored to wherever the engine keeps older events. */
  age(): Promise<void>;
  /**
   * Runs a request whose plan is not held to its projects, as it were if planning had a defect. Whatever the engine
   * checks besides is at work.
   */
  runUnheld(request: RunRequest, signal: AbortSignal): Promise<QueryResult>;
  /** Closes the engine and opens it again on the same data. Only of engines that state `isDurable`. */
  restart(): Promise<void>;
  /** Ends what runs statements, as kill -9 does; the engine must recover by itself. Only of engines that state `crashes`. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  /** The built-in ones where left out. */
  readonly sources?: readonly Source[];
  /** Nothing is removed where left out. */
  readonly removals?: Removals;
  readonly redaction?: RedactionConfig;
  readonly redactionRowsMax?: number;
  readonly memoryBytesMax?: number;
  /** Events after which the engine begins another part, if it has parts. */
  readonly partEvents?: number;
}

/** An engine that suites are run on. */
export interface EngineUnderTest {
  readonly name: string;
  /** What it states, known before it is opened: suites leave out what an engine does not state, and say so. */
  readonly states: Pick<EngineCapabilities, 'isDurable' | 'findsDamage' | 'isRowsScannedExact'> & {
    readonly barrier: boolean;
    readonly snapshot: boolean;
    /** Whether events are moved, some time after they came, to parts that do not change any more. */
    readonly seals: boolean;
    /** Whether statements run in a process of their own, which may end. */
    readonly crashes: boolean;
  };
  /** With an empty storage. */
  open(options?: HarnessOptions): Promise<StorageHarness>;
}
