import type { AuditOf } from '../audit/auditTrail.ts';

/**
 * The storage engine's identifier of a deletion: a whole number, greater than those of all earlier deletions. The engine
 * returns it when events are deleted, and it is stored with the deletion. It has no other meaning outside the engine.
 */
export type DeletionToken = number;

/** A deletion of events of one project, narrowed by the other members. */
export interface EventDeletion {
  /** Only events that were stored before this token are deleted. Later ones are kept, whatever their timestamps. */
  readonly token: DeletionToken;
  readonly project: string;
  /** Null for every source. */
  readonly source: string | null;
  /** Only events with earlier timestamps, in microseconds since 1970; null for all. */
  readonly beforeMicros: number | null;
  readonly requestedMicros: number;
}

/** Events of a source that were removed so far. */
export interface DeletedSource {
  readonly source: string;
  readonly events: number;
  /** Estimated bytes of the events. */
  readonly bytes: number;
}

/** A stored deletion. */
export interface DeletionRecord extends EventDeletion {
  readonly id: string;
  /** Public ID of the token that asked for it. */
  readonly requestedBy: string;
  /** Time at which no file had its events any more, in microseconds since 1970; null before. */
  readonly completedMicros: number | null;
  /** In ascending order of names. */
  readonly sources: readonly DeletedSource[];
}

/** A quarantined part of the storage that may hold events of a deletion. Queries do not read it, but it still exists. */
export interface QuarantinedPart {
  /** The engine's name of the part, for the operator. */
  readonly name: string;
  /** `known`: it holds such events. `unknown`: its contents are not known, so it may hold some. */
  readonly contents: 'known' | 'unknown';
}

/** The reason why a deletion is not complete. */
export interface DeletionWait {
  /** Whether only quarantined parts are left. */
  readonly isCarriedOut: boolean;
  readonly quarantined: readonly QuarantinedPart[];
}

/**
 * Stores deletions for good. An adapter must resolve when a change is durable. The engine that removes events counts them
 * in the same commit.
 */
export interface DeletionStore {
  /** All deletions, in the order of their tokens. */
  load(): Promise<readonly DeletionRecord[]>;
  add(deletion: Omit<DeletionRecord, 'completedMicros' | 'sources'>, auditOf?: AuditOf<string>): Promise<void>;
  complete(token: DeletionToken, nowMicros: number): Promise<void>;
  /** Marks a deletion as incomplete again, because a file with its events was put back. */
  reopen(token: DeletionToken): Promise<void>;
  /** The deletions of a project, newest first. */
  list(project: string, limit: number): Promise<readonly DeletionRecord[]>;
  find(project: string, id: string): Promise<DeletionRecord | null>;
}
