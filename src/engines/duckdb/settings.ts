import { defaultRedactionConfig, type RedactionConfig } from '../../redact/redactionConfig.ts';

const mebibyte = 1024 * 1024;

/** Function processes, each started at its first use: while one tenant occupies one, there is another. */
export const functionProcesses = 2;

/** Memory of each function process, derived from the engine's. */
export const functionMemoryBytes = (memoryBytesMax: number): number => Math.ceil(memoryBytesMax / 3);

/** Memory of all processes of the engine together. */
export const allMemoryBytes = (memoryBytesMax: number): number =>
  memoryBytesMax + functionProcesses * functionMemoryBytes(memoryBytesMax);

/** Sizes of the storage engine. Every value can be configured; tests use small ones. */
export interface DuckDbSettings {
  /** Worker threads of the engine. */
  readonly threads: number;
  /** Memory of the engine, bytes. */
  readonly memoryBytesMax: number;
  /** Resident bytes at which the engine process is killed; text functions can exceed the limit above. */
  readonly processBytesMax: number;
  /** Bytes that sorts may spill into the events folder. */
  readonly spillBytesMax: number;
  /** Statements that run at the same time; others wait. */
  readonly statementsMax: number;
  /** Statements that may wait; one more is rejected with `query.overloaded`. */
  readonly statementQueueMax: number;
  /** How long a statement with functions in JavaScript waits for its turn. */
  readonly functionWaitMs: number;
  /** How long a statement may ignore its interrupt before the process is killed. */
  readonly interruptGraceMs: number;
  /** How long a statement waits for a process that is being restarted. */
  readonly restartWaitMs: number;
  /** Batches and bytes that may wait for their commit; more are rejected with `ingest.overloaded`. */
  readonly appendBatchesMax: number;
  readonly appendBytesMax: number;
  /** Maximum events and bytes of one commit (one batch always fits). */
  readonly commitEventsMax: number;
  readonly commitBytesMax: number;
  /** An active segment that has reached one of these is rotated at the next commit. */
  readonly rotateEvents: number;
  readonly rotateBytes: number;
  readonly rotateAgeMs: number;
  /** Frozen segments that may wait to be sealed; with more, ingestion is rejected with `ingest.overloaded`. */
  readonly frozenFilesMax: number;
  /** Number of sealed segments of similar size that are merged into one. */
  readonly mergeFiles: number;
  /** Maximum events and bytes of a merged segment; one with half of either is not merged again. */
  readonly mergeEventsMax: number;
  readonly mergeBytesMax: number;
  /** Pause before a failed merge is retried; it grows, because the merge may be what ends the engine. */
  readonly mergeRetryMs: number;
  /** How long a change of retention rules waits for a change of segments. */
  readonly rulesWaitMs: number;
  /** Bytes that all segments may take; above that, the oldest sealed ones are dropped. 0: no limit. */
  readonly budgetBytes: number;
  /** Free bytes of the device below which events are rejected; 0: never, null: see freeSpace.ts. */
  readonly freeBytesMin: number | null;
  /** How long, and for how many batches at least, retries are recognised (streams.md). */
  readonly identityAgeMs: number;
  readonly identityCountMin: number;
  /** Memory for recognising them. A token may take half of what others leave free. */
  readonly identityBytesMax: number;
  /** Redaction of statements that require it; the same as the service's own. */
  readonly redaction: RedactionConfig;
  /** Number of values of any one member that one statement may redact. */
  readonly redactionRowsMax: number;
  /** Pause before a batch that ran out of memory is retried, milliseconds. */
  readonly memoryWaitMs: number;
}

/**
 * `rotateBytes` limits the active segment because its events stay in the write-ahead log and in memory until it is
 * sealed. A checkpoint of the active segment would delay every commit (measured: 1.2 s per 200 MB), so it is never
 * checkpointed while it receives events.
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
  identityBytesMax: 128 * 1024 * 1024,
  redaction: defaultRedactionConfig,
  redactionRowsMax: 200_000,
  memoryWaitMs: 100,
};
