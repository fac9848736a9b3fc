import { type Kysely, type Migration, sql } from 'kysely';

/** Sources that read a table that others fill. */
export const existingTables: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table existing_tables (
      source text primary key,
      mapping text not null,
      description text not null,
      created_at integer not null
    ) strict`.execute(database);
  },
};
