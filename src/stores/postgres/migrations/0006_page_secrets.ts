import type { PostgresMigration } from '../migrate.ts';

/** Secrets of page cursors. Nodes of the release before have no pages. */
export const pageSecrets: PostgresMigration = {
  name: '0006_page_secrets',
  oldest: '0001_definitions',
  statements: [
    `create table page_secrets (
      month integer primary key,
      secret text not null
    )`,
  ],
};
