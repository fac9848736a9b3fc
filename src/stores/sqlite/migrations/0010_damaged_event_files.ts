import { type Kysely, type Migration, sql } from 'kysely';

/** Which event files were found damaged, and what is wrong with them. */
export const damagedEventFiles: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`alter table event_files add column damage text`.execute(database);
  },
};
