import { type Kysely, type Migration, sql } from 'kysely';

/** Bound below which arrival numbers may have been given to events. */
export const arrivalNumbers: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table reserved_arrivals (
      row integer primary key check (row = 1),
      below integer not null
    ) strict`.execute(database);
  },
};
