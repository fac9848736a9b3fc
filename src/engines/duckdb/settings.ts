import { defaultRedactionConfig, type RedactionConfig } from '../../redact/redactionConfig.ts';

const mebibyte = 1024 * 1024;

/** Processes for functions in JavaScript, each started when it is first needed: while one tenant has one, there is another. */
export const functionProcesses = 2;

/** What each of them may keep in memory, of the engine's bytes. */
export const functionMemoryBytes = (memoryBytesMax: number): number => Math.ceil(memoryBytesMax / 3);

/** What all processes of the engine together may keep in memory. */
export const allMemoryBytes = (memoryBytesMax: number): number =>
  memoryBytesMax + functionProcesses * functionMemoryBytes(memoryBytesMax);

/** How the storage engine is sized. Every value is settable by configuration; tests use small ones. */
export interface DuckDbSettings {
  /** Worker threads of the engine. */
  readonly threads: number;
  /** What the engine may keep in memory, bytes. */
  readonly memoryBytesMax: number;
  /** Resident bytes at which the engine's process is killed; text functions can overshoot the limit above. */
  readonly processBytesMax: number;
  /** Bytes that sorts may spill into the events folder. */
  readonly spillBytesMax: number;
  /** Statements that run at the same time; the rest wait. */
  readonly statementsMax: number;
  /** Statements that may wait; one more is refused with `query.overloaded`. */
  readonly statementQueueMax: number;
  /** How long a statement with functions in JavaScript waits for its turn. */
  readonly functionWaitMs: number;
  /** How long a statement may ignore its interrupt before the process is killed. */
  readonly interruptGraceMs: number;
  /** How long a statement waits for a process that is being restarted. */
  readonly restartWaitMs: number;
  /** Batches and bytes that may wait for their commit; more is refused with `ingest.overloaded`. */
  readonly appendBatchesMax: number;
  readonly appendBytesMax: number;
  /** Events and bytes of one commit at most (one batch always fits). */
  readonly commitEventsMax: number;
  readonly commitBytesMax: number;
  /** An active file that has reached one of these is rotated at the next commit. */
  readonly rotateEvents: number;
  readonly rotateBytes: number;
  readonly rotateAgeMs: number;
  /** Frozen files that wait to be sealed; with more, ingestion is refused with `ingest.overloaded`. */
  readonly frozenFilesMax: number;
  /** Sealed files of about one size that are merged into one. */
  readonly mergeFiles: number;
  /** Events and bytes of a merged file at most; one with half of either is not merged any further. */
  readonly mergeEventsMax: number;
  readonly mergeBytesMax: number;
  /** When a failed merge is tried again; later each further time, since the merge may be what ends the engine. */
  readonly mergeRetryMs: number;
  /** How long a change of rules of retention waits for a change of files. */
  readonly rulesWaitMs: number;
  /** Bytes that all event files may take, beyond which the oldest sealed ones are dropped; 0: no bound. */
  readonly budgetBytes: number;
  /** Free bytes of the device below which events are refused; 0: never, null: see freeSpace.ts. */
  readonly freeBytesMin: number | null;
  /** How long and how many batches at least are recognised again (streams.md). */
  readonly identityAgeMs: number;
  readonly identityCountMin: number;
  /** What texts are redacted by in statements that demand it; the same as the service's own. */
  readonly redaction: RedactionConfig;
  /** Values that one statement may redact of any one member. */
  readonly redactionRowsMax: number;
  /** Pause before a batch that found no memory is tried again, milliseconds. */
  readonly memoryWaitMs: number;
}

/**
 * `rotateBytes` bounds the active file because its events live in the write-ahead log and in memory
 * until it is sealed: a checkpoint of the active file would hold up every commit (measured 1.2 s per
 * 200 MB), so it is never checkpointed while it receives events.
 */
export const defaultDuckDbSettings: DuckDbSettings = {
  threads: 2,
  memoryBytesMax: 512 * mebibyte,
  processBytesMax: 1536 * mebibyte,
  spillBytesMax: 8192 * mebibyte,
  statementsMax: 8,
  statementQueueMax: 512,
  functionWaitMs: 10_000,
  interruptGraceMs: 2_000,
  restartWaitMs: 5_000,
  appendBatchesMax: 2_000,
  appendBytesMax: 64 * mebibyte,
  commitEventsMax: 5_000,
  commitBytesMax: 8 * mebibyte,
  rotateEvents: 500_000,
  rotateBytes: 160 * mebibyte,
  rotateAgeMs: 24 * 60 * 60 * 1000,
  frozenFilesMax: 4,
  mergeFiles: 4,
  mergeEventsMax: 8_000_000,
  mergeBytesMax: 2048 * mebibyte,
  mergeRetryMs: 1_000,
  rulesWaitMs: 5_000,
  budgetBytes: 0,
  freeBytesMin: null,
  identityAgeMs: 15 * 60 * 1000,
  identityCountMin: 1_000,
  redaction: defaultRedactionConfig,
  redactionRowsMax: 200_000,
  memoryWaitMs: 100,
};
