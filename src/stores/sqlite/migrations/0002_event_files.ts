import { type Kysely, type Migration, sql } from 'kysely';

/** Sealed event files: one row per file, and one per file and source with its projects as JSON. */
export const eventFiles: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table event_files (
      number integer primary key,
      bytes integer not null,
      events integer not null,
      sealed_at integer not null
    ) strict`.execute(database);

    await sql`create table event_file_sources (
      number integer not null references event_files (number) on delete cascade,
      source text not null,
      projects text not null,
      primary key (number, source)
    ) strict, without rowid`.execute(database);
  },
};
