import { type Kysely, type Migration, sql } from 'kysely';

/** Of which files a sealed file was merged, as JSON. */
export const mergedEventFiles: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`alter table event_files add column merged_from text not null default '[]'`.execute(database);
  },
};
