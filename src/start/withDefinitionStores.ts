import { systemTimer } from '../core/timer.ts';
import { addressLabel, parsePostgresAddress } from '../stores/postgres/postgresAddress.ts';
import { openDatabase } from '../stores/sqlite/database.ts';
import { type DefinitionStores, embeddedStores, isShared, storeStartError, storesOver } from './definitionStores.ts';
import { packageVersion } from './packageInfo.ts';
import { requireDataFolder } from './requireDataFolder.ts';
import type { Settings } from './settings.ts';

type Opened = Pick<DefinitionStores, 'endpoints' | 'tokens' | 'sources'>;

/**
 * Runs `use` with the stores that the settings name, for a command beside running services, which notice changes within
 * a second. Throws a StartError if the data folder is none, or the database cannot be used.
 */
export async function withDefinitionStores<T>(settings: Settings, use: (stores: Opened) => Promise<T>): Promise<T> {
  if (isShared(settings)) return await withPostgres(settings, use);
  requireDataFolder(settings.dataDir);
  const database = await openDatabase(settings.dataDir);
  try {
    return await use(embeddedStores(database));
  } finally {
    await database.destroy();
  }
}

async function withPostgres<T>({ store }: Settings, use: (stores: Opened) => Promise<T>): Promise<T> {
  const address = parsePostgresAddress(store);
  const { openPostgres } = await import('../stores/postgres/openPostgres.ts');
  const opened = await openPostgres({ address, release: packageVersion(), timer: systemTimer }).catch(
    (error: unknown) => {
      throw storeStartError(error, addressLabel(address));
    },
  );
  try {
    return await use(storesOver(opened.database));
  } finally {
    await opened.close();
  }
}
