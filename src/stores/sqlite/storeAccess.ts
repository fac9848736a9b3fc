import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { storeFileNames } from './storeFileNames.ts';

/**
 * Throws the system's error, which names the file, if this user may not read and write the store files of a data
 * folder. SQLite would say only that it could not open a file.
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
