import { type Kysely, type Migration, sql } from 'kysely';

export const tokensAndEndpoints: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table generations (
      subject text primary key,
      generation integer not null
    ) strict`.execute(database);

    await sql`create table tokens (
      public_id text primary key,
      secret_hash text not null,
      description text not null,
      scopes text not null,
      manages integer not null check (manages in (0, 1)),
      slot text check (slot in ('admin', 'query', 'ingest')),
      restrictions text,
      created_at integer not null,
      expires_at integer,
      last_used_at integer,
      revoked_at integer
    ) strict`.execute(database);
    await sql`create unique index tokens_slot on tokens (slot) where slot is not null and revoked_at is null`.execute(
      database,
    );
    await sql`create index tokens_secret_hash on tokens (secret_hash)`.execute(database);

    await sql`create table endpoints (
      id text primary key,
      name text not null,
      current_version integer not null,
      is_primary integer not null check (is_primary in (0, 1)),
      created_at integer not null,
      updated_at integer not null,
      deleted_at integer
    ) strict`.execute(database);
    await sql`create index endpoints_name on endpoints (name)`.execute(database);
    await sql`create unique index endpoints_primary on endpoints (name) where is_primary = 1 and deleted_at is null`.execute(
      database,
    );

    await sql`create table endpoint_versions (
      endpoint_id text not null references endpoints (id),
      version integer not null,
      definition text not null,
      created_at integer not null,
      primary key (endpoint_id, version)
    ) strict`.execute(database);
    // Versions are immutable; the database itself enforces it.
    await sql`create trigger endpoint_versions_immutable before update on endpoint_versions
      begin select raise(abort, 'versions are immutable'); end`.execute(database);
  },
};
