/** What was done, as `<room>.<verb>`: `endpoint.create`, `token.revoke`; `call.refused` counts calls that were refused. */
export type AuditAction =
  | `${'endpoint' | 'project' | 'token' | 'cache' | 'query' | 'source' | 'backup'}.${string}`
  | 'call.refused';

/** One thing that was done. Never holds a secret, a parameter value or a row. */
export interface AuditEvent {
  /** Microseconds since 1970. */
  readonly atMicros: number;
  /** Public id of the token that did it; null where whoever owns the data folder did, or nobody that is known. */
  readonly actor: string | null;
  readonly action: AuditAction;
  /** What it was done to: the id of an endpoint or a token; for refused calls the operation. */
  readonly target: string | null;
  /** The version that came of it, where the target has versions. */
  readonly version: number | null;
  /** Null for what was not asked for over HTTP, and for entries that stand for several requests. */
  readonly requestId: string | null;
  /** Code of the error that a refused call was answered with. */
  readonly code?: string;
  /** How many refused calls the entry stands for; 1 where left out. */
  readonly count?: number;
}

/**
 * What the trail is told of a change, given what came of it. Whoever keeps what is changed writes these entries
 * in the transaction of the change, so that neither is there without the other; of a change that changes nothing, none.
 */
export type AuditOf<Result> = (result: Result) => readonly AuditEvent[];

/** Of changes that no trail is told of. */
export const unaudited: AuditOf<unknown> = () => [];

/** An event as it is kept. */
export interface AuditEntry extends Required<Omit<AuditEvent, 'code'>> {
  /** Its place in the trail: later entries have larger numbers. */
  readonly sequence: number;
  readonly code: string | null;
}

export interface AuditQuery {
  /** At most so many. */
  readonly limit: number;
  /** Only entries before this one; null for the newest. */
  readonly beforeSequence: number | null;
  /** Only what this token did; null for everyone. */
  readonly actor: string | null;
}

/**
 * Who changed what, and who was refused, kept for good. An adapter must:
 * - resolve `record` only when the entries are durable, all of them or none;
 * - give them numbers in the order in which they were recorded, by whichever process;
 * - never change nor remove an entry, and refuse whoever tries in its own storage.
 */
export interface AuditTrail {
  record(...events: readonly AuditEvent[]): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
}
