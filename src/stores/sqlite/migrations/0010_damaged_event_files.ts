import { type Kysely, type Migration, sql } from 'kysely';

/** The damaged event files, and how they are damaged. */
export const damagedEventFiles: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`alter table event_files add column damage text`.execute(database);
  },
};
