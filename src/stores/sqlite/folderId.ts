import { sql } from 'kysely';
import { type Randomness, uuidV4 } from '../../core/ids.ts';
import type { StoreDatabase } from '../sql/schema.ts';

/**
 * The id of a data folder, made at the first call and kept in its store, so that a restored backup has it too. Only
 * folders whose definitions are elsewhere need one.
 */
export async function folderId(database: StoreDatabase, randomness: Randomness): Promise<string> {
  return await database.transaction().execute(async (transaction) => {
    await sql`create table if not exists folder_id (
      row integer primary key check (row = 1),
      id text not null
    ) strict`.execute(transaction);
    await sql`insert into folder_id (row, id) values (1, ${uuidV4(randomness)}) on conflict do nothing`.execute(
      transaction,
    );
    const { rows } = await sql<{ readonly id: string }>`select id from folder_id`.execute(transaction);
    const [found] = rows;
    if (found === undefined) throw new Error('the data folder has no id');
    return found.id;
  });
}
