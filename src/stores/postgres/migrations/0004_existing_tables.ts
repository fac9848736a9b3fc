import type { PostgresMigration } from '../migrate.ts';

/** Sources that read a table that others fill. Nodes of the release before do not know these sources. */
export const existingTables: PostgresMigration = {
  name: '0004_existing_tables',
  oldest: '0001_definitions',
  statements: [
    `create table existing_tables (
      source text collate "C" primary key,
      mapping text not null,
      description text not null,
      created_at bigint not null
    )`,
  ],
};
