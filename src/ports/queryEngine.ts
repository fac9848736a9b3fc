import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';

/** How values are written (contract, section 1, "Values"). */
export type ValuesProfile = 'plain' | 'records';

export interface RunRequest {
  readonly query: ResolvedQuery;
  readonly parameters: ParameterValues;
  /**
   * The only projects whose events the run may read, whatever the query says; at least one. Null for
   * every project (contract, section 4, "Restrictions on a token").
   */
  readonly projects: readonly string[] | null;
  /**
   * Which redactor shows the query every event (contract, section 6, the barrier): its `description`, which
   * must be that of the engine's own. Null: the query reads events as they are.
   */
  readonly redaction: string | null;
  /** The one reading of the clock that `now` means in this run. Microseconds. */
  readonly nowMicros: number;
  /** Rows returned at most; a further row sets `hasMore`. */
  readonly rowsMax: number;
  /** Bytes of encoded rows returned at most. */
  readonly bytesMax: number;
  readonly profile: ValuesProfile;
}

/**
 * From when on the events of a source that a query read are whole: what was before was removed, by age or on
 * request. Told of the projects that the query was held to, or, where it was held to none, of what holds for every
 * project without rules of its own.
 */
export interface DataBegin {
  readonly source: string;
  /** Microseconds since 1970; null where nothing was removed but, with `isLaterForSome`, of some projects. */
  readonly micros: number | null;
  /** Whether the query looked for events before it. */
  readonly isReached: boolean;
  /** Whether the query was held to no projects, and events of some begin later. */
  readonly isLaterForSome: boolean;
}

export interface QueryResult {
  /** Rows as JSON objects separated by commas, UTF-8, in the asked profile. Empty without rows. */
  readonly rows: Uint8Array;
  readonly rowCount: number;
  /** Whether the query had more rows than `rowsMax`. */
  readonly hasMore: boolean;
  /** Whether rows were left out because of `bytesMax`. */
  readonly cutByBytes: boolean;
  /** Rows after the project filter in what was opened; null where neither the query nor the request names projects. */
  readonly rowsScanned: number | null;
  /** In the order of names; absent or empty where nothing of what was read was ever removed. */
  readonly dataBegins?: readonly DataBegin[];
  readonly elapsedMs: number;
  /** Whether events that the rows would have been made of lay in a damaged file, and are missing. False where left out. */
  readonly isDamaged?: boolean;
}

/** For managers only: the statement holds the values of the call, the plan estimates over events of every project. */
export interface Explanation {
  /** In the engine's own language. */
  readonly statement: string;
  /** As the engine writes it. */
  readonly plan: string;
}

/** For whom a query runs; nobody is the service itself. */
export interface RunCaller {
  /** Places that are scarce in the engine go round the tenants. */
  readonly tenant?: string;
  /** Whoever the tenant belongs to, such as its token; absent: nobody has other tenants. */
  readonly owner?: string;
  /** Told when the run was what ended the engine under every other one. */
  readonly blamed?: () => void;
  /** Told when the run goes on where it takes nothing from the threads that others run on. */
  readonly stepsAside?: () => void;
}

/** The limit of a run's time, which counts no time that the run lost without its own doing. */
export interface RunTime {
  /** From here on no time counts: the run waits for the engine to come back, or for another run to end. */
  pause(): void;
  /** The run goes on with the time that it had left when it was paused. */
  resume(): void;
  /** The run begins, or begins again, with all of its time. */
  restart(): void;
}

/**
 * Runs resolved queries. An adapter must:
 * - answer with exactly what the resolved tree means (googlesql.md), or fail with a ServiceError
 *   `sql.data`, `redaction.rows_max`, `query.timeout`, `query.memory`, `engine.failed` or `engine.restarting`;
 * - read no event outside `projects`, and check the statement that it runs for that apart from whatever put it there;
 * - stop within two seconds of the signal, whatever it takes, without harm to other runs;
 * - pause a run's time while it cannot run for reasons that are not its own;
 * - never put engine text into an error that a caller sees.
 */
export interface QueryEngine {
  run(request: RunRequest, signal: AbortSignal, time?: RunTime, caller?: RunCaller): Promise<QueryResult>;
  /** What `run` would do, without doing it. */
  explain(request: RunRequest, signal: AbortSignal, time?: RunTime, caller?: RunCaller): Promise<Explanation>;
}
