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

function explained(error: unknown, target: MigrationTarget, settings: Settings): unknown {
  const { dataDir, store } = settings;
  const database = addressLabel(parsePostgresAddress(store));
  const label = target === 'postgres' ? database : `the data folder ${dataDir}`;
  if (error instanceof OtherStore) {
    // A start makes tokens and versions of its own, which may be in use, so that no copy replaces them silently.
    const origin = error.isUntouched
      ? ' Its audit trail is empty, so perhaps a service has only started on it and made them itself.'
      : '';
    return new StartError(
      `Nothing was changed: ${label} holds definitions that the other store does not have.${origin} The target must be empty or an earlier state of the source. ${otherTarget(error, target, settings)}`,
      { cause: error },
    );
  }
  if (error instanceof CopyDiffers) {
    return new StartError(
      `Nothing was changed: ${error.message}. Another command may have changed a store meanwhile; run this one again.`,
      { cause: error },
    );
  }
  if (!(error instanceof ServiceError)) return error;
  // Only the database can be away.
  return storeStartError(error, error.code === 'service.store_unavailable' ? database : label);
}

function otherTarget({ isUntouched }: OtherStore, target: MigrationTarget, { store }: Settings): string {
  if (target === 'folder') return 'Name another folder with --data-dir.';
  const { schema } = parsePostgresAddress(store);
  const other = 'ame another schema (?schema=... in LOGMILL_STORE)';
  if (!isUntouched) return `N${other}.`;
  return `If you need nothing in it, stop every service that uses it, run "DROP SCHEMA ${schema} CASCADE" in PostgreSQL, and run the same command again; or n${other}.`;
}

const noPostgres = (): StartError =>
  new StartError(
    'LOGMILL_STORE names no database. Set it to the address in PostgreSQL, such as postgres://user:password@host/logmill, for this command in both directions.',
  );
