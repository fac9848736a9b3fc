import type { RunCaller, RunTime } from '../../../ports/queryEngine.ts';
import type { Redactor } from '../../../redact/createRedactor.ts';
import type { TableRead } from './tableRead.ts';

export interface RowsBounds {
  /** Rows returned at most; a further row sets `hasMore`. */
  readonly rowsMax: number;
  /** Bytes of encoded rows returned at most, commas included. */
  readonly bytesMax: number;
}

export interface EncodedRows {
  /** Rows joined with commas; empty without rows. */
  readonly rows: Uint8Array;
  readonly rowCount: number;
  /** Whether a further row followed the `rowsMax`-th. Not known, and false, where `cutByBytes`. */
  readonly hasMore: boolean;
  /** Whether the next row did not fit into `bytesMax`. */
  readonly cutByBytes: boolean;
}

/** How far back the newest rows reach. */
export interface Cutoff {
  /** The oldest of their timestamps, microseconds; null where no row was found. */
  readonly micros: bigint | null;
  readonly found: number;
}

/** A statement that finds the cutoff: one row of two values, `Cutoff` in its order. */
export interface CutoffSearch {
  readonly sql: string;
  /** Rows that must be found for the rows to be read; with fewer, events further back may be wanted. */
  readonly foundMin: number;
}

export interface NewestRows extends EncodedRows {
  readonly cutoff: Cutoff;
}

/** What a statement reads, wanted where it runs in a process that does not have the files. */
export type Reads = () => readonly TableRead[];

export type StatementValue = string | number | boolean | null;

/**
 * Runs statements of the emitter in the engine process: each one SELECT, in a read-only transaction.
 *
 * Every call rejects with a ServiceError: the signal's reason once the statement has stopped (two
 * seconds after the signal at the latest), `sql.data`, `redaction.rows_max`, `query.memory`, `query.overloaded`,
 * `engine.failed` or `engine.restarting`.
 */
export interface StatementRunner {
  /** A statement with one column of type BLOB or VARCHAR: one encoded JSON row per row. */
  runRows(sql: string, bounds: RowsBounds, signal: AbortSignal, reads?: Reads): Promise<EncodedRows>;
  /**
   * The rows of a statement whose events begin at a cutoff (cutoffMark.ts) that another statement
   * finds on the same snapshot. No rows where too few were found, or none.
   */
  runNewest(
    search: CutoffSearch,
    sql: string,
    bounds: RowsBounds,
    signal: AbortSignal,
    reads?: Reads,
  ): Promise<NewestRows>;
  /** A statement with a small typed result. 64-bit integers and wider come as text. */
  runValues(sql: string, signal: AbortSignal, reads?: Reads): Promise<readonly (readonly StatementValue[])[]>;
  /** The engine's plan of a SELECT, as text. */
  explain(sql: string, signal: AbortSignal, reads?: Reads): Promise<string>;
}

/** The engine process as what runs statements. */
export interface EngineRunner extends StatementRunner {
  /** What the redacting functions of the process redact by. */
  readonly redactor: Redactor;
  /**
   * The same runner for statements that may read only events of these projects; null for every
   * project. The engine process looks at each statement itself (process/sandbox/projectIsolation.ts), and one
   * that reads a table of events otherwise rejects with `engine.failed` and never runs. Statements with
   * redacting functions carry a tag, the same in all their calls; no two that run at once have the same.
   * `time` is paused while a statement cannot run for reasons that are not its own. Places that are scarce go round
   * the tenants that wait for one.
   */
  boundTo(
    projects: readonly string[] | null,
    redactionTag?: number | null,
    time?: RunTime,
    caller?: RunCaller,
  ): StatementRunner;
}
