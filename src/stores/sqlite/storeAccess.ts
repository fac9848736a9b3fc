import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** The store, and what SQLite keeps beside it while it is open and after a process was killed. */
const names = ['store.sqlite', 'store.sqlite-wal', 'store.sqlite-shm'];

/**
 * Throws the system's error, which names the file, where this user may not read and write what there is of the store in
 * a data folder. SQLite says no more than that it could not open a file, and not which.
 */
export function requireStoreAccess(dataDir: string): void {
  for (const name of names) {
    try {
      accessSync(join(dataDir, name), constants.R_OK | constants.W_OK);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}
