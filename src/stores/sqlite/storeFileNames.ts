import { join } from 'node:path';

/** The store, and the files that SQLite keeps next to it while it is open or after a process was killed. */
export const storeFileNames: readonly string[] = ['store.sqlite', 'store.sqlite-wal', 'store.sqlite-shm'];

/** For messages, and for reading metadata of the file. Only `storeFile.ts` may open it. */
export function pathOfStore(dataDir: string): string {
  return join(dataDir, 'store.sqlite');
}
