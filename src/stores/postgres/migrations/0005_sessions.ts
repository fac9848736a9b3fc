import type { PostgresMigration } from '../migrate.ts';

/** Sessions of the console. Nodes of the release before do not know them and ask for a token. */
export const sessions: PostgresMigration = {
  name: '0005_sessions',
  oldest: '0001_definitions',
  statements: [
    `create table sessions (
      secret_hash text collate "C" primary key,
      token_id text collate "C" not null,
      token_hash text collate "C" not null,
      created_at bigint not null,
      expires_at bigint not null
    )`,
    'create index sessions_by_token on sessions (token_id, created_at)',
    'create index sessions_by_expiry on sessions (expires_at)',
  ],
};
