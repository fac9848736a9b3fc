import { ServiceError } from '../core/errors.ts';
import { addressLabel, parsePostgresAddress } from '../stores/postgres/postgresAddress.ts';
import { type CopiedRows, CopyDiffers, copyDefinitions, OtherStore } from '../stores/sql/copyDefinitions.ts';
import { isShared, storeStartError } from './definitionStores.ts';
import { withMigrationStores } from './migrationStores.ts';
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
  // Before a store is made in a new folder.
  if (!isShared(settings)) throw noPostgres();
  return await withMigrationStores(settings, target === 'folder', nowMicros, async (folder, postgres) => {
    if (postgres === null) throw noPostgres();
    const [from, into] = target === 'postgres' ? [folder, postgres.database] : [postgres.database, folder];
    return await copyDefinitions(from, into, settings.events !== 'embedded').catch((error: unknown) => {
      throw explained(error, target, settings);
    });
  });
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

const noPostgres = (): StartError =>
  new StartError(
    'LOGMILL_STORE names no database. Set it to the address in PostgreSQL, such as postgres://user:password@host/logmill, for this command in both directions.',
  );
