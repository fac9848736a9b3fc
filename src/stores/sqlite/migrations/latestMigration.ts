/** The name of the last migration, for those who must not load all of them. */
export const latestMigration = '0016_event_copies';
