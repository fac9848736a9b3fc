import { existsSync } from 'node:fs';
import { ServiceError } from '../core/errors.ts';
import { systemTimer } from '../core/timer.ts';
import type { PostgresStore } from '../stores/postgres/openPostgres.ts';
import { addressLabel, parsePostgresAddress } from '../stores/postgres/postgresAddress.ts';
import { type CopiedRows, CopyDiffers, copyDefinitions, OtherStore } from '../stores/sql/copyDefinitions.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { openDatabase } from '../stores/sqlite/database.ts';
import { pathOfStore } from '../stores/sqlite/storeFileNames.ts';
import { isShared, storeStartError } from './definitionStores.ts';
import { lockFolder } from './folderLock.ts';
import { packageVersion } from './packageInfo.ts';
import { requireDataFolder } from './requireDataFolder.ts';
import type { Settings } from './settings.ts';
import { StartError } from './startError.ts';

/** Where definitions go: to PostgreSQL (`LOGMILL_STORE`) or back to the data folder. */
export type MigrationTarget = 'postgres' | 'folder';

/**
 * Copies endpoints, tokens, sources, retention rules and the audit trail between the data folder and PostgreSQL, while
 * no service uses either. Events stay where they are.
 *
 * @throws StartError if a service runs, if a store cannot be used, or if the target holds something else
 */
export async function migrateDefinitions(
  settings: Settings,
  target: MigrationTarget,
  nowMicros: number,
): Promise<CopiedRows> {
  if (!isShared(settings)) {
    throw new StartError(
      'LOGMILL_STORE names no database. Set it to the address in PostgreSQL, such as postgres://user:password@host/logmill, for this command in both directions.',
    );
  }
  if (target === 'postgres') requireDataFolder(settings.dataDir);
  const lock = lockFolder(settings.dataDir, nowMicros);
  try {
    if (existsSync(pathOfStore(settings.dataDir))) requireDataFolder(settings.dataDir);
    return await withBoth(settings, async (folder, postgres) => {
      await requireNoNodes(postgres);
      const [from, into] = target === 'postgres' ? [folder, postgres.database] : [postgres.database, folder];
      return await copyDefinitions(from, into, settings.events !== 'embedded').catch((error: unknown) => {
        throw explained(error, target, settings);
      });
    });
  } finally {
    lock.release();
  }
}

async function withBoth<T>(
  { dataDir, store }: Settings,
  use: (folder: StoreDatabase, postgres: PostgresStore) => Promise<T>,
): Promise<T> {
  const address = parsePostgresAddress(store);
  const { openPostgres } = await import('../stores/postgres/openPostgres.ts');
  const postgres = await openPostgres({ address, release: packageVersion(), timer: systemTimer }).catch(
    (error: unknown) => {
      throw storeStartError(error, addressLabel(address));
    },
  );
  try {
    const folder = await openDatabase(dataDir);
    try {
      return await use(folder, postgres);
    } finally {
      await folder.destroy();
    }
  } finally {
    await postgres.close();
  }
}

async function requireNoNodes({ pool }: PostgresStore): Promise<void> {
  const { nodeLapseMs } = await import('../stores/postgres/nodes/nodeTimes.ts');
  const alive = await pool.query<{ readonly id: string }>(
    `select id from nodes where seen_at > clock_timestamp() - $1 * interval '1 millisecond'`,
    [nodeLapseMs],
  );
  if (alive.length === 0) return;
  throw new StartError(
    `${alive.length === 1 ? 'A node uses' : `${alive.length} nodes use`} the store in PostgreSQL. Stop every service that has this LOGMILL_STORE, because changes made while definitions are copied would be lost.`,
  );
}

function explained(error: unknown, target: MigrationTarget, { dataDir, store }: Settings): unknown {
  const label = target === 'postgres' ? addressLabel(parsePostgresAddress(store)) : `the data folder ${dataDir}`;
  if (error instanceof OtherStore) {
    return new StartError(
      `Nothing was changed: ${label} holds definitions that the other store does not have. The target must be empty or an earlier state of the source. ` +
        (target === 'postgres'
          ? 'Name another schema (?schema=... in LOGMILL_STORE).'
          : 'Name another folder with --data-dir.'),
      { cause: error },
    );
  }
  if (error instanceof CopyDiffers) {
    return new StartError(
      `Nothing was changed: ${error.message}. Another command may have changed a store meanwhile; run this one again.`,
      { cause: error },
    );
  }
  return error instanceof ServiceError ? storeStartError(error, label) : error;
}
