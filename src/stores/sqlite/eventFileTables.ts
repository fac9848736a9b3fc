/** Tables of the manifest of sealed segments. */
export interface EventFileTables {
  event_files: {
    number: number;
    bytes: number;
    events: number;
    /** Microseconds since 1970. */
    sealed_at: number;
    /** Numbers of the segments that were merged into it, as JSON. */
    merged_from: string;
    /** SealedFileRecord.clearedTo; null in segments that were written before there were deletions. */
    cleared_to: number | null;
    /** A FileDamage as JSON; null if the segment is undamaged. */
    damage: string | null;
  };
  /** Segments whose events are gone, and whose files may still be in the folder. */
  dropped_event_files: {
    number: number;
  };
  /** At most one row: all arrival numbers below may have been given to events. */
  reserved_arrivals: {
    row: number;
    below: number;
  };
  event_file_sources: {
    number: number;
    source: string;
    /** A SealedSourceRecord without `source`, as JSON. Read and written as a whole, never searched by SQL. */
    projects: string;
  };
}
