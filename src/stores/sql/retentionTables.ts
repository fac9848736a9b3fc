/** Tables of retention rules and of deletions. */
export interface RetentionTables {
  retention_rules: {
    /** An empty text means every source. */
    source: string;
    /** An empty text means every project. */
    project: string;
    /** 0 keeps events forever. */
    days: number;
  };
  /** How far retention has removed events from segments. */
  retention_marks: {
    source: string;
    /** An empty text means the projects without rules of their own. */
    project: string;
    /** Microseconds since 1970. */
    micros: number;
  };
  event_deletions: {
    /** Token of the deletion: the number of the first segment that holds no event from before it. */
    boundary: number;
    id: string;
    project: string;
    /** Null means every source. */
    source: string | null;
    /** Deletes earlier events, microseconds since 1970; null for all events. */
    before_micros: number | null;
    requested_at: number;
    /** Public ID of the token that requested it. */
    requested_by: string;
    /** Null while a segment still holds its events. */
    completed_at: number | null;
  };
  event_deletion_sources: {
    boundary: number;
    source: string;
    /** Events that were removed from segments so far, and about how many bytes they took there. */
    events: number;
    bytes: number;
  };
}
