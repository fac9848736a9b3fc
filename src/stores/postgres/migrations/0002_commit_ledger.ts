import type { PostgresMigration } from '../migrate.ts';

/** The ledger of commits, for event stores without transactions (ports/commitLedger.ts). */
export const commitLedger: PostgresMigration = {
  name: '0002_commit_ledger',
  oldest: '0001_definitions',
  statements: [
    `create table event_numbers (
      row integer primary key check (row = 1),
      next bigint not null
    )`,
    `create table event_commits (
      first bigint primary key,
      "end" bigint not null,
      node text collate "C" not null,
      abandoned_at bigint
    )`,
    `create table event_batches (
      key text collate "C" primary key,
      digest text not null,
      answer text not null,
      commit_first bigint,
      stored_at bigint not null
    )`,
    'create index event_batches_stored on event_batches (stored_at)',
    'create index event_batches_commit on event_batches (commit_first) where commit_first is not null',
    `create table event_nodes (
      node text collate "C" primary key,
      heard_at bigint not null
    )`,
    `create table event_leases (
      work text collate "C" primary key,
      node text not null,
      until bigint not null
    )`,
  ],
};
