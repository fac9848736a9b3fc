import { join } from 'node:path';

/** The store, and what SQLite keeps beside it while it is open and after a process was killed. */
export const storeFileNames: readonly string[] = ['store.sqlite', 'store.sqlite-wal', 'store.sqlite-shm'];

/** For messages, and to ask about the file. Only `storeFile.ts` may open it. */
export function pathOfStore(dataDir: string): string {
  return join(dataDir, 'store.sqlite');
}
