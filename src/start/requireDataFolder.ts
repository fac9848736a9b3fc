import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { requireStoreAccess } from '../stores/sqlite/storeAccess.ts';
import { pathOfStore } from '../stores/sqlite/storeFileNames.ts';
import { refuseForeignFiles } from './dataEntries.ts';
import { StartError } from './startError.ts';

/**
 * Throws a StartError if a folder is not the data folder of a service, or if this user may not work on it. For commands
 * that need an existing folder: without this check, a typo in the path would create an empty store.
 */
export function requireDataFolder(dataDir: string): void {
  refuseForeignFiles(dataDir);
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
        `${resolve(dataDir)} is not the data folder of a Logmill service: it has no store.sqlite. Name the folder with --data-dir, or start the service once to create it.`,
        { cause: error },
      );
    }
    throw new StartError(
      `This user may not read and write the data folder ${resolve(dataDir)} (${code}). Run the command as the user who owns the folder.`,
      { cause: error },
    );
  }
}
