import type { RowFrame, RunCaller, RunTime } from '../../../ports/queryEngine.ts';
import type { Redactor } from '../../../redact/createRedactor.ts';
import type { TableRead } from './tableRead.ts';

export interface RowsBounds {
  /** Maximum number of rows; a further row sets `hasMore`. */
  readonly rowsMax: number;
  /** Maximum bytes of encoded rows, including commas. */
  readonly bytesMax: number;
  /** Whether the page keys of every row are wanted (`rowKeys`). */
  readonly hasRowKeys?: boolean;
}

/** Bounds of rows that are handed over in frames. */
export interface StreamBounds extends Omit<RowsBounds, 'hasRowKeys'> {
  /** Whether the statement has typed columns, and frames have these (ports/columnFrame.ts). */
  readonly hasColumns?: boolean;
  /** Whether the rows are lines of CSV with quotes to double (process/read/quoteDoubler.ts). */
  readonly doublesQuotes?: boolean;
}

export interface EncodedRows {
  /** Rows joined with commas; empty without rows. */
  readonly rows: Uint8Array;
  readonly rowCount: number;
  /** Whether there is a row after the `rowsMax`-th. Unknown, and false, with `cutByBytes`. */
  readonly hasMore: boolean;
  /** Whether the next row did not fit into `bytesMax`. */
  readonly cutByBytes: boolean;
  /** The page keys of the first and the last row, if the statement returns any. */
  readonly pageKeys?: readonly [string, string];
  /** Indexes of the first and the last row whose keys have at most `shortKeyBytesMax` bytes, if there are any. */
  readonly shortKeyRows?: readonly [number, number];
  /** The keys of every row, if wanted. */
  readonly rowKeys?: readonly string[];
}

/** The end of rows that were taken in frames. */
export type EndOfRows = Omit<EncodedRows, 'rows' | 'pageKeys' | 'shortKeyRows'>;

/** Takes a frame of rows. No more than a few frames are under way until it resolves. */
export type TakeFrame = (frame: RowFrame) => Promise<void>;

/** How far back the newest rows reach. */
export interface Cutoff {
  /** The oldest of their timestamps, microseconds; null if no row was found. */
  readonly micros: bigint | null;
  readonly found: number;
}

/** A statement that finds the cutoff: one row with the two values of `Cutoff`, in order. */
export interface CutoffSearch {
  readonly sql: string;
  /** Minimum of found rows for the rows to be read; with fewer, older events may be needed. */
  readonly foundMin: number;
}

export interface NewestRows extends EncodedRows {
  readonly cutoff: Cutoff;
}

/** The tables that a statement reads, needed if its process lacks the segments. */
export type Reads = () => readonly TableRead[];

export type StatementValue = string | number | boolean | null;

/**
 * Runs emitted statements in the engine process: each is one SELECT in a read-only transaction.
 *
 * Every call rejects with a ServiceError: the signal's reason once the statement has stopped (at most two seconds after
 * the signal), `sql.data`, `redaction.rows_max`, `query.memory`, `query.overloaded`, `engine.failed` or
 * `engine.restarting`.
 */
export interface StatementRunner {
  /**
   * Runs a statement with one column of type BLOB or VARCHAR: one encoded JSON row per row. A second column holds the page
   * keys of the row.
   */
  runRows(sql: string, bounds: RowsBounds, signal: AbortSignal, reads?: Reads): Promise<EncodedRows>;
  /**
   * Runs a statement with one column like `runRows`, whose rows end with a comma each, and hands them over in frames as they
   * are computed. Resolves when all rows were taken and the engine has proved that there are no more. It runs beside the bounded number of other
   * statements, and is never repeated. Waiting for `take` costs the statement no time. Rejects with what `take` rejects
   * with, and with `stream.unsuitable` for a statement with functions in JavaScript.
   */
  streamRows(
    sql: string,
    bounds: StreamBounds,
    take: TakeFrame,
    signal: AbortSignal,
    reads?: Reads,
  ): Promise<EndOfRows>;
  /**
   * Returns the rows of a statement whose events begin at a cutoff (cutoffMark.ts), which another statement finds on
   * the same snapshot. No rows if too few were found.
   */
  runNewest(
    search: CutoffSearch,
    sql: string,
    bounds: RowsBounds,
    signal: AbortSignal,
    reads?: Reads,
  ): Promise<NewestRows>;
  /** Runs a statement with a small typed result. Integers of 64 bits and more come as text. */
  runValues(sql: string, signal: AbortSignal, reads?: Reads): Promise<readonly (readonly StatementValue[])[]>;
  /** The engine's plan of a SELECT, as text. */
  explain(sql: string, signal: AbortSignal, reads?: Reads): Promise<string>;
}

/** Runs statements in the engine process. */
export interface EngineRunner extends StatementRunner {
  /** The redactor of the process's redacting functions. */
  readonly redactor: Redactor;
  /**
   * The same runner for statements that may read only events of these projects; null for every project. The engine
   * process checks each statement itself (process/isolation/isolationCheck.ts): one that reads an event table in
   * another way rejects with `engine.failed` and never runs. Statements with redacting functions carry a tag, which no
   * two running statements share. `time` is paused while the engine or other statements keep a statement from running.
   * Waiting tenants get scarce places in turn. `held` names attached databases whose rows are already restricted to the
   * projects.
   */
  boundTo(
    projects: readonly string[] | null,
    redactionTag?: number | null,
    time?: RunTime,
    caller?: RunCaller,
    held?: readonly string[],
  ): StatementRunner;
}
