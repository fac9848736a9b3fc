import type { ArrivalRange } from '../googlesql/plan/scanBounds.ts';
import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';

/** How values are written (contract, section 1, "Values"). */
export type ValuesProfile = 'plain' | 'records';

export interface RunRequest {
  readonly query: ResolvedQuery;
  readonly parameters: ParameterValues;
  /**
   * The only projects whose events the run may read, whatever the query says; at least one. Null for every project
   * (contract, section 4, "Restrictions on a token").
   */
  readonly projects: readonly string[] | null;
  /**
   * The `description` of the redactor that every event must pass before the query sees it (contract, section 6, the
   * barrier). It must be that of the engine's own redactor. Null: the query reads original events.
   */
  readonly redaction: string | null;
  /** The one reading of the clock that `now` means in this run. Microseconds. */
  readonly nowMicros: number;
  /** The time at which removals by age are judged, if it is not `nowMicros`: pages keep the `now` of the first one. */
  readonly removedAtMicros?: number;
  /**
   * If set, the query reads only events with these arrival numbers, and the engine reads little else, however many events
   * it holds. Needs `EngineCapabilities.watchCommits`.
   */
  readonly arrivals?: ArrivalRange;
  /** Whether the result has the `query.pageKeys` of every row (`rowKeys`). Default: of the first and the last one. */
  readonly hasRowKeys?: boolean;
  /** Maximum number of rows returned; a further row sets `hasMore`. */
  readonly rowsMax: number;
  /** Maximum number of bytes of encoded rows returned. */
  readonly bytesMax: number;
  readonly profile: ValuesProfile;
}

/**
 * The time from which on the events of a source are complete: earlier ones were removed, by age or on request.
 * Describes the projects that the query was restricted to; for an unrestricted query, it describes every project
 * without rules of its own.
 */
export interface DataBegin {
  readonly source: string;
  /** Microseconds since 1970; null if nothing was removed, or, with `isLaterForSome`, only events of some projects. */
  readonly micros: number | null;
  /** Whether the query looked for earlier events. */
  readonly isReached: boolean;
  /** Whether the query was unrestricted, and the events of some projects begin later. */
  readonly isLaterForSome: boolean;
}

/** What was removed of the events that a query looks for, as far as it was restricted to projects. */
export interface RemovedSoFar {
  /** Changes whenever such events are removed, except as they reach their age. */
  readonly state: string;
  /** Whether such events are removed as they reach their age. */
  readonly isAging: boolean;
}

/** Most bytes of page keys that fit into a cursor, which must fit into a URL. */
export const shortKeyBytesMax = 1024;

export interface QueryResult {
  /** Rows as JSON objects separated by commas, UTF-8, in the requested profile. Empty without rows. */
  readonly rows: Uint8Array;
  readonly rowCount: number;
  /** Whether the query had more rows than `rowsMax`. */
  readonly hasMore: boolean;
  /** Whether rows were left out because of `bytesMax`. */
  readonly cutByBytes: boolean;
  /** Rows that were read after the project filter; null if neither the query nor the request names projects. */
  readonly rowsScanned: number | null;
  /** In the order of names; absent or empty if none of the events in question were ever removed. */
  readonly dataBegins?: readonly DataBegin[];
  /** The values of `query.pageKeys` in the first and the last row, each as a JSON object; absent without keys or rows. */
  readonly pageKeys?: readonly [string, string];
  /** Indexes of the first and the last row whose keys have at most `shortKeyBytesMax` bytes; absent without such rows. */
  readonly shortKeyRows?: readonly [number, number];
  /** The keys of every row, in order; only with `RunRequest.hasRowKeys`. */
  readonly rowKeys?: readonly string[];
  /** Only with `query.pageKeys`. */
  readonly removed?: RemovedSoFar;
  readonly elapsedMs: number;
  /** Whether events that the rows depend on are missing because their segment is damaged. Absent means false. */
  readonly isDamaged?: boolean;
}

/** Lines of a text format that an engine can write itself, because nothing reads the rows on their way to the caller. */
export interface LineForm {
  readonly kind: 'csv' | 'tsv';
  /** Whether texts are guarded against spreadsheets (`TextTableOptions`). */
  readonly isGuarded: boolean;
}

/** Columns with the layouts of their types (columnFrame.ts). Every column must have one. */
export interface ColumnForm {
  readonly kind: 'columns';
}

export type RowForm = LineForm | ColumnForm;

export interface StreamRequest extends RunRequest {
  /**
   * The form that the receiver prefers to JSON. An engine may hand over JSON nevertheless. Rows that are redacted after the
   * run must be JSON.
   */
  readonly form?: RowForm;
}

/** Some rows of a result, in order: at least one. */
export type RowFrame = JsonFrame | LineFrame | ColumnFrame;

export interface JsonFrame {
  readonly kind: 'json';
  /** Encoded as in `QueryResult.rows`. */
  readonly rows: Uint8Array;
  readonly rowCount: number;
  /** Offset of the end of each row, u32 in little endian; null if unknown. */
  readonly ends: Uint8Array | null;
}

export interface LineFrame {
  readonly kind: 'lines';
  /** The bytes that the format has for these rows (formats/csv.ts, formats/tsv.ts), without the line feed of the last one. */
  readonly rows: Uint8Array;
  readonly rowCount: number;
}

export interface ColumnFrame {
  readonly kind: 'columns';
  /** The columns (`readColumns`), with the values that the same rows have as JSON in the profile `plain`. */
  readonly rows: Uint8Array;
  readonly rowCount: number;
}

/** What is known of a result when its rows begin. */
export type ResultBeginning = Pick<QueryResult, 'dataBegins' | 'rowsScanned' | 'isDamaged'>;

/** Takes a result while it is computed. If a method rejects, the run ends with that error. */
export interface RowSink {
  /** Called once, before the first rows, or at the end of a result without rows. */
  begins(beginning: ResultBeginning): void;
  /** The engine computes only a few frames more until it resolves. */
  rows(frame: RowFrame): Promise<void>;
}

/** The end of a result whose rows were taken while it was computed. */
export type StreamEnd = Omit<QueryResult, 'rows' | 'pageKeys' | 'shortKeyRows'>;

/**
 * For managers only: the statement contains the values of the call, the plan estimates over events of every project.
 */
export interface Explanation {
  /** In the engine's own language. */
  readonly statement: string;
  /** As the engine writes it. */
  readonly plan: string;
}

/** On whose behalf a query runs; absent if it is the service itself. */
export interface RunCaller {
  /** Scarce resources of the engine go to tenants in turn. */
  readonly tenant?: string;
  /** Owner of the tenant, such as its token. If absent, no owner has several tenants. */
  readonly owner?: string;
  /** Called if this run ended the engine under every other run. */
  readonly blamed?: () => void;
  /**
   * How long the run may go on after its signal, in milliseconds, before the engine is ended under every other run. Default: two
   * seconds.
   */
  readonly graceMs?: number;
  /** Called when the run continues where it takes no time from the threads of others. */
  readonly stepsAside?: () => void;
  /** Told the milliseconds of each wait for a turn on the main thread. */
  readonly waitedForTurn?: (ms: number) => void;
}

/** Deadline of a run, which excludes time that the run lost through no fault of its own. */
export interface RunTime {
  /** Stops the clock: the run waits for the engine to restart, or for another run to end. */
  pause(): void;
  /** Continues with the time that was left at the pause. */
  resume(): void;
  /** Starts the run, or starts it again, with all of its time. */
  restart(): void;
}

/**
 * Runs resolved queries. An adapter must:
 * - answer with exactly the meaning of the resolved tree (googlesql.md), or fail with a ServiceError `sql.data`,
 *   `redaction.rows_max`, `query.timeout`, `query.memory`, `query.fetch_max`, `engine.failed` or `engine.restarting`;
 * - read no event outside `projects`, and check the statement for that independently of the code that wrote it;
 * - stop within two seconds of the signal, or within `RunCaller.graceMs`, whatever that takes, without harm to other runs;
 * - pause the time of a run while others or the engine keep it from running;
 * - never put text of the engine into an error that a caller sees.
 */
export interface QueryEngine {
  run(request: RunRequest, signal: AbortSignal, time?: RunTime, caller?: RunCaller): Promise<QueryResult>;
  /**
   * Like `run`, for results of any size: hands the rows to the sink while they are computed, with memory that does not grow
   * with the result. Resolves only after the engine has proved that no row is missing: a failure after the first rows, or an
   * interrupt, always rejects. Waiting for the sink costs the run no time. Rejects with `stream.unsuitable` if the engine
   * cannot stream the query. Absent: the engine streams nothing.
   */
  stream?(
    request: StreamRequest,
    sink: RowSink,
    signal: AbortSignal,
    time?: RunTime,
    caller?: RunCaller,
  ): Promise<StreamEnd>;
  /** Describes what `run` would do, without doing it. */
  explain(request: RunRequest, signal: AbortSignal, time?: RunTime, caller?: RunCaller): Promise<Explanation>;
}
