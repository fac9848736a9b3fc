import { type Kysely, type Migration, sql } from 'kysely';

/** Sources that were added to the built-in ones, and other names of sources. */
export const sources: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table sources (
      name text primary key,
      project_field text not null,
      description text not null,
      created_at integer not null
    ) strict`.execute(database);
    // An alias may be of a source that is not in the table: built in, or of the configuration.
    await sql`create table source_aliases (
      alias text primary key,
      source text not null
    ) strict`.execute(database);
  },
};
