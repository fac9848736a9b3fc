import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { storeFileNames } from './storeFileNames.ts';

/**
 * Throws the system's error, which names the file, where this user may not read and write what there is of the store in
 * a data folder. SQLite says no more than that it could not open a file, and not which.
 */
export function requireStoreAccess(dataDir: string): void {
  for (const name of storeFileNames) {
    try {
      accessSync(join(dataDir, name), constants.R_OK | constants.W_OK);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}
