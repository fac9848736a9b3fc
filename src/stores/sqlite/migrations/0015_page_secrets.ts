import { type Kysely, type Migration, sql } from 'kysely';

/** Secrets of page cursors. */
export const pageSecrets: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table page_secrets (
      month integer primary key,
      secret text not null
    ) strict`.execute(database);
  },
};
