import { type Kysely, type Migration, sql } from 'kysely';

/** The ledger of commits, for event stores without transactions. */
export const commitLedger: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table event_numbers (
      row integer primary key check (row = 1),
      next integer not null
    ) strict`.execute(database);
    await sql`create table event_commits (
      first integer primary key,
      "end" integer not null,
      node text not null,
      abandoned_at integer
    ) strict`.execute(database);
    await sql`create table event_batches (
      key text primary key,
      digest text not null,
      answer text not null,
      commit_first integer,
      stored_at integer not null
    ) strict, without rowid`.execute(database);
    await sql`create index event_batches_stored on event_batches (stored_at)`.execute(database);
    await sql`create index event_batches_commit on event_batches (commit_first) where commit_first is not null`.execute(
      database,
    );
    await sql`create table event_nodes (
      node text primary key,
      heard_at integer not null
    ) strict, without rowid`.execute(database);
    await sql`create table event_leases (
      work text primary key,
      node text not null,
      until integer not null
    ) strict, without rowid`.execute(database);
  },
};
