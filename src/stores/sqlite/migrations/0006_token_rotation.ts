import { type Kysely, type Migration, sql } from 'kysely';

/** The previous secret of a token, for as long as it still works. */
export const tokenRotation: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`alter table tokens add column previous_hash text`.execute(database);
    await sql`alter table tokens add column previous_until integer`.execute(database);
  },
};
