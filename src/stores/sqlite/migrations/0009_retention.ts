import { type Kysely, type Migration, sql } from 'kysely';

/** How long events are kept, which events were deleted, and what remains to be done in their files. */
export const retention: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    // Null: written before there were deletions.
    await sql`alter table event_files add column cleared_to integer`.execute(database);
    // Files whose events are gone, and which may still be in the folder after a crash.
    await sql`create table dropped_event_files (
      number integer primary key
    ) strict`.execute(database);
    // An empty text means every source or every project; neither can have that name.
    await sql`create table retention_rules (
      source text not null,
      project text not null,
      days integer not null,
      primary key (source, project)
    ) strict, without rowid`.execute(database);
    await sql`create table retention_marks (
      source text not null,
      project text not null,
      micros integer not null,
      primary key (source, project)
    ) strict, without rowid`.execute(database);
    await sql`create table event_deletions (
      boundary integer primary key,
      id text not null unique,
      project text not null,
      source text,
      before_micros integer,
      requested_at integer not null,
      requested_by text not null,
      completed_at integer
    ) strict`.execute(database);
    await sql`create table event_deletion_sources (
      boundary integer not null references event_deletions (boundary) on delete cascade,
      source text not null,
      events integer not null,
      bytes integer not null,
      primary key (boundary, source)
    ) strict, without rowid`.execute(database);
  },
};
