import { type Kysely, type Migration, sql } from 'kysely';

/** The author of a version and the reason for it, and an index for pages of endpoints. */
export const endpointAuthors: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`alter table endpoint_versions add column author text`.execute(database);
    await sql`alter table endpoint_versions add column note text not null default ''`.execute(database);
    await sql`create index endpoints_name_id on endpoints (name, id) where deleted_at is null`.execute(database);
  },
};
