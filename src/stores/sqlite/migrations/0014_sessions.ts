import { type Kysely, type Migration, sql } from 'kysely';

/** Sessions of the console. */
export const sessions: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table sessions (
      secret_hash text primary key,
      token_id text not null,
      token_hash text not null,
      created_at integer not null,
      expires_at integer not null
    ) strict`.execute(database);
    await sql`create index sessions_by_token on sessions (token_id, created_at)`.execute(database);
    await sql`create index sessions_by_expiry on sessions (expires_at)`.execute(database);
  },
};
