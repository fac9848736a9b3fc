import { type Kysely, type Migration, sql } from 'kysely';

/** Pages of tokens are read in the order of creation. */
export const tokenOrder: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create index tokens_created on tokens (created_at, public_id)`.execute(database);
  },
};
