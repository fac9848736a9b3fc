import type { PostgresMigration } from '../migrate.ts';

/**
 * What nodes agree on while they run. Only what must survive a crash of the server is written to its log: counters,
 * and which arrival numbers may still appear.
 */
export const nodes: PostgresMigration = {
  name: '0003_nodes',
  oldest: '0001_definitions',
  statements: [
    `create unlogged table nodes (
      id text collate "C" primary key,
      version text not null,
      started_micros bigint not null,
      seen_at timestamptz not null
    )`,
    `create unlogged table node_states (
      kind text collate "C" not null,
      key text collate "C" not null,
      state text,
      touched_at timestamptz not null default clock_timestamp(),
      primary key (kind, key)
    ) with (fillfactor = 50)`,
    'create index node_states_touched on node_states (touched_at)',
    `create table node_counters (
      name text collate "C" primary key,
      value bigint not null
    )`,
    `insert into node_counters (name, value) values ('purges', 0), ('arrivals', 0)`,
    `create unlogged table cache_purges (
      number bigint primary key,
      endpoint_id text collate "C",
      purged_at timestamptz not null
    )`,
    `create unlogged table work_claims (
      key text collate "C" primary key,
      node text collate "C" not null,
      until timestamptz not null
    )`,
    // Not used any more, like the counter of arrivals: the commit ledger has the numbers (0002_commit_ledger.ts).
    `create table arrival_holders (
      node text collate "C" primary key,
      watermark bigint not null,
      beaten_at timestamptz not null
    )`,
  ],
};
