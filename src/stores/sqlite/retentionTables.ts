/** Tables of how long events are kept and of deletions. */
export interface RetentionTables {
  retention_rules: {
    /** An empty text for every source. */
    source: string;
    /** An empty text for every project. */
    project: string;
    /** 0 for keeping everything. */
    days: number;
  };
  /** Up to where retention has taken events out of files. */
  retention_marks: {
    source: string;
    /** An empty text for projects without rules of their own. */
    project: string;
    /** Microseconds since 1970. */
    micros: number;
  };
  event_deletions: {
    /** Number of the first event file that holds nothing from before the deletion. */
    boundary: number;
    id: string;
    project: string;
    /** Null for every source. */
    source: string | null;
    /** Events before it are deleted, microseconds since 1970; null for all. */
    before_micros: number | null;
    requested_at: number;
    /** Public id of the token. */
    requested_by: string;
    /** Null while its events are still in a file. */
    completed_at: number | null;
  };
  event_deletion_sources: {
    boundary: number;
    source: string;
    /** Events that were taken out of files so far, and about how many bytes they took there. */
    events: number;
    bytes: number;
  };
}
