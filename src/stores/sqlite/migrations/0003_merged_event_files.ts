import { type Kysely, type Migration, sql } from 'kysely';

/** Numbers of the files that a sealed file was merged from, as JSON. */
export const mergedEventFiles: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`alter table event_files add column merged_from text not null default '[]'`.execute(database);
  },
};
