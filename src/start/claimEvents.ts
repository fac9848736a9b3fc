import type { Randomness } from '../core/ids.ts';
import type { PostgresStores } from '../stores/postgres/openPostgresStores.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { folderId } from '../stores/sqlite/folderId.ts';
import { StartError } from './startError.ts';

/**
 * Makes this data folder the one that has the events of a shared store, or throws a StartError if another one is. Each of
 * two folders would have a part of the events, and every answer would be wrong.
 */
export async function claimEvents(
  { store: { pool } }: Pick<PostgresStores, 'store'>,
  local: StoreDatabase,
  dataDir: string,
  randomness: Randomness,
): Promise<void> {
  const id = await folderId(local, randomness);
  await pool.query('insert into event_folder (row, id) values (1, $1) on conflict do nothing', [id]);
  const [claimed] = await pool.query<{ readonly id: string }>('select id from event_folder');
  if (claimed?.id === id) return;
  throw new StartError(
    `The store in PostgreSQL belongs to the events of another data folder than ${dataDir}. With the embedded engine, one data folder has all events, so only one node can use the store. ` +
      `Start the service on that folder, give this node a schema of its own (?schema=... in LOGMILL_STORE), or, if the other folder is gone for good, run: DELETE FROM ${pool.address.schema}.event_folder.`,
  );
}
