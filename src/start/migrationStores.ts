import { existsSync } from 'node:fs';
import { systemTimer } from '../core/timer.ts';
import type { PostgresStore } from '../stores/postgres/openPostgres.ts';
import { addressLabel, parsePostgresAddress } from '../stores/postgres/postgresAddress.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { openDatabase } from '../stores/sqlite/database.ts';
import { pathOfStore } from '../stores/sqlite/storeFileNames.ts';
import { isShared, storeStartError } from './definitionStores.ts';
import { lockFolder } from './folderLock.ts';
import { packageVersion } from './packageInfo.ts';
import { requireDataFolder } from './requireDataFolder.ts';
import type { Settings } from './settings.ts';
import { StartError } from './startError.ts';

/**
 * Opens the store of the data folder, and the store in PostgreSQL if the settings name one, while no service uses either.
 * `mayBeNew`: whether the data folder may be missing.
 *
 * @throws StartError if a service runs, or if a store cannot be used
 */
export async function withMigrationStores<T>(
  settings: Settings,
  mayBeNew: boolean,
  nowMicros: number,
  use: (folder: StoreDatabase, postgres: PostgresStore | null) => Promise<T>,
): Promise<T> {
  if (!mayBeNew) requireDataFolder(settings.dataDir);
  const lock = lockFolder(settings.dataDir, nowMicros);
  try {
    if (existsSync(pathOfStore(settings.dataDir))) requireDataFolder(settings.dataDir);
    const postgres = isShared(settings) ? await openShared(settings) : null;
    try {
      if (postgres !== null) await requireNoNodes(postgres);
      const folder = await openDatabase(settings.dataDir);
      try {
        return await use(folder, postgres);
      } finally {
        await folder.destroy();
      }
    } finally {
      await postgres?.close();
    }
  } finally {
    lock.release();
  }
}

async function openShared({ store }: Settings): Promise<PostgresStore> {
  const address = parsePostgresAddress(store);
  const { openPostgres } = await import('../stores/postgres/openPostgres.ts');
  return await openPostgres({ address, release: packageVersion(), timer: systemTimer }).catch((error: unknown) => {
    throw storeStartError(error, addressLabel(address));
  });
}

async function requireNoNodes({ pool }: PostgresStore): Promise<void> {
  const { nodeLapseMs } = await import('../stores/postgres/nodes/nodeTimes.ts');
  const alive = await pool.query<{ readonly id: string }>(
    `select id from nodes where seen_at > clock_timestamp() - $1 * interval '1 millisecond'`,
    [nodeLapseMs],
  );
  if (alive.length === 0) return;
  throw new StartError(
    `${alive.length === 1 ? 'A node uses' : `${alive.length} nodes use`} the store in PostgreSQL. Stop every service that has this LOGMILL_STORE, because changes made while the command runs would be lost.`,
  );
}
