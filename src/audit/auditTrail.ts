/** An action as `<object>.<verb>`: `endpoint.create`, `token.revoke`. `call.refused` counts refused calls. */
export type AuditAction =
  | `${'endpoint' | 'project' | 'token' | 'cache' | 'query' | 'source' | 'backup' | 'session'}.${string}`
  | 'call.refused';

/** One action. Never contains a secret, a parameter value or a row. */
export interface AuditEvent {
  /** Microseconds since 1970. */
  readonly atMicros: number;
  /** Public ID of the acting token; null for the owner of the data folder, or if unknown. */
  readonly actor: string | null;
  readonly action: AuditAction;
  /** Id or name of the changed object; for refused calls, the operation. */
  readonly target: string | null;
  /** The resulting version, if the target has versions. */
  readonly version: number | null;
  /** Null for actions that were not requested over HTTP, and for entries that count several requests. */
  readonly requestId: string | null;
  /** The error code of a refused call. */
  readonly code?: string;
  /** Number of refused calls that the entry counts. Default: 1. */
  readonly count?: number;
}

/**
 * Makes the audit entries of a change from its result. The store writes them in the transaction of the change, so that
 * neither exists without the other. A change without effect has no entries.
 */
export type AuditOf<Result> = (result: Result) => readonly AuditEvent[];

/** For changes without audit entries. */
export const unaudited: AuditOf<unknown> = () => [];

/** A stored event. */
export interface AuditEntry extends Required<Omit<AuditEvent, 'code'>> {
  /** Rises with each entry of the trail. */
  readonly sequence: number;
  readonly code: string | null;
}

export interface AuditQuery {
  readonly limit: number;
  /** Only entries before this one; null for the newest. */
  readonly beforeSequence: number | null;
  /** Only actions of this token; null for all. */
  readonly actor: string | null;
}

/**
 * Records for good who changed what, and who was refused. An adapter must:
 * - resolve `record` only when the entries are durable, all or none;
 * - number them in the order in which they were recorded, across processes;
 * - never change or remove an entry, and let its storage refuse such attempts.
 */
export interface AuditTrail {
  record(...events: readonly AuditEvent[]): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
}
