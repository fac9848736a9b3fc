import type { AuditOf } from '../audit/auditTrail.ts';

/**
 * What a storage engine knows a deletion by. The engine gives it when events are deleted, and it is kept with the
 * deletion: a whole number, greater than those of all deletions before. What else it means only the engine knows.
 */
export type DeletionToken = number;

/** Which events are deleted on request: of one project, and of those only what the other members say. */
export interface EventDeletion {
  /** What was stored before it was given is deleted; what is stored later is kept, whatever its time. */
  readonly token: DeletionToken;
  readonly project: string;
  /** Null for every source. */
  readonly source: string | null;
  /** Only events before it, microseconds since 1970; null for all. */
  readonly beforeMicros: number | null;
  readonly requestedMicros: number;
}

/** What was removed so far. */
export interface DeletedSource {
  readonly source: string;
  readonly events: number;
  /** About how many bytes the events took. */
  readonly bytes: number;
}

/** A deletion as it is kept. */
export interface DeletionRecord extends EventDeletion {
  readonly id: string;
  /** Public id of the token that asked for it. */
  readonly requestedBy: string;
  /** When its last event had left every file; null before. Microseconds since 1970. */
  readonly completedMicros: number | null;
  /** In ascending order of names. */
  readonly sources: readonly DeletedSource[];
}

/** A part of the storage that is set aside as damaged, and holds events of a deletion: not served, but still there. */
export interface QuarantinedPart {
  /** What the engine calls it, and whoever operates the service finds it by. */
  readonly name: string;
  /** `unknown`: nobody knows what it holds, so that it may hold some. */
  readonly contents: 'known' | 'unknown';
}

/** What a deletion that is not complete waits for. */
export interface DeletionWait {
  /** Whether nothing but what is set aside is left. */
  readonly isCarriedOut: boolean;
  readonly quarantined: readonly QuarantinedPart[];
}

/**
 * Keeps deletions, for good. An adapter must resolve when a change is durable. What a deletion removed is
 * counted by the engine that removes it, in the same commit.
 */
export interface DeletionStore {
  /** All of them, in the order of their tokens. */
  load(): Promise<readonly DeletionRecord[]>;
  add(deletion: Omit<DeletionRecord, 'completedMicros' | 'sources'>, auditOf?: AuditOf<string>): Promise<void>;
  complete(token: DeletionToken, nowMicros: number): Promise<void>;
  /** Takes it back that a deletion is complete: a file with events of it was put back. */
  reopen(token: DeletionToken): Promise<void>;
  /** Those of a project, newest first, at most so many. */
  list(project: string, limit: number): Promise<readonly DeletionRecord[]>;
  find(project: string, id: string): Promise<DeletionRecord | null>;
}
