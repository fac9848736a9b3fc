import { existsSync } from 'node:fs';
import { asDamagedStore } from './damagedStore.ts';
import { latestMigration } from './migrations/latestMigration.ts';
import { readStoreFile } from './storeFile.ts';
import { pathOfStore } from './storeFileNames.ts';

const waitMs = 5_000;

/** Fails with "integer overflow" if the store has a later migration. */
const failsIfNewer = `select abs(-9223372036854775807 - (name > '')) from kysely_migration where name > '${latestMigration}'`;

/**
 * Whether a newer version wrote the store of a data folder, with migrations that this one does not know. Loads little, and
 * changes nothing. Throws DamagedStore if the file is not a database.
 */
export function isNewerStore(dataDir: string): boolean {
  const path = pathOfStore(dataDir);
  if (!existsSync(path)) return false;
  try {
    // Not prepared, so that nothing keeps the connection open. Nothing else gives an answer then.
    readStoreFile(dataDir, waitMs, (database) => database.exec(failsIfNewer));
    return false;
  } catch (error) {
    if (error instanceof Error && error.message.includes('integer overflow')) return true;
    if (error instanceof Error && error.message.includes('no such table')) return false;
    throw asDamagedStore(error, path);
  }
}
