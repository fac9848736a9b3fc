import { type Kysely, type Migration, sql } from 'kysely';

/** Copies of events from another store that have begun and not ended. */
export const eventCopies: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table event_copies (
      target text primary key,
      origin text not null,
      place text not null
    ) strict`.execute(database);
  },
};
