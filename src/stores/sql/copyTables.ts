/** The table of unfinished copies of events (start/migrateEvents.ts). */
export interface CopyTables {
  event_copies: {
    /** The engine that they are copied to: `embedded` or `clickhouse`. */
    target: string;
    /** Names the store that they are copied from. */
    origin: string;
    /** Names the store that they are copied to. */
    place: string;
  };
}
