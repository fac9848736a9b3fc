import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { requireStoreAccess } from '../stores/sqlite/storeAccess.ts';
import { pathOfStore } from '../stores/sqlite/storeFileNames.ts';
import { StartError } from './startError.ts';

/**
 * Throws a StartError where a folder is not that of a service, or where this user may not work on it. For commands that
 * open a folder which is there; without it, a slip in the path would make a new, empty store.
 */
export function requireDataFolder(dataDir: string): void {
  const { R_OK, W_OK, X_OK } = constants;
  const store = pathOfStore(dataDir);
  try {
    accessSync(store, R_OK | W_OK);
    accessSync(dataDir, R_OK | W_OK | X_OK);
    requireStoreAccess(dataDir);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new StartError(
        `${resolve(dataDir)} is no data folder of a Logmill service: there is no store.sqlite in it. Name the folder with --data-dir, or start the service once to make it.`,
        { cause: error },
      );
    }
    throw new StartError(
      `This user may not read and write the data folder ${resolve(dataDir)} (${code}). Run the command as the user whom the folder belongs to.`,
      { cause: error },
    );
  }
}
