import { type Kysely, type Migration, sql } from 'kysely';

/** Added sources, and aliases of sources. */
export const sources: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table sources (
      name text primary key,
      project_field text not null,
      description text not null,
      created_at integer not null
    ) strict`.execute(database);
    // An alias may name a source that is not in the table: a built-in or configured one.
    await sql`create table source_aliases (
      alias text primary key,
      source text not null
    ) strict`.execute(database);
  },
};
