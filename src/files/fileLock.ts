import { existsSync, writeFileSync } from 'node:fs';
import Database from 'libsql';
import { databasePath } from './databasePath.ts';

export interface FileLock {
  release(): void;
}

/**
 * Locks a file for this process, and creates it if it is missing (mode 0600). Null if another process has locked it.
 *
 * Node has no file locks. SQLite uses those of the operating system, which end with their process: the file is opened as a
 * database and held in one exclusive transaction. So a lock is never stale, and of two processes exactly one wins.
 *
 * `again` is asked before another attempt on a lock that another process has: one that only looks at it, such as the
 * doctor, holds it for a moment.
 *
 * @throws Error of the system or of SQLite
 */
export function lockFile(file: string, again: () => boolean = () => false): FileLock | null {
  for (;;) {
    const lock = lockNow(file);
    if (lock !== null || !again()) return lock;
  }
}

function lockNow(file: string): FileLock | null {
  let database: Database.Database | undefined;
  try {
    // SQLite would create it with the mode of the umask. An existing file must not be opened here (decision 54).
    if (!existsSync(file)) makeEmpty(file);
    const opened = new Database(databasePath(file), { timeout: 0 });
    database = opened;
    // A journal on the disk would need space, and a lock must be possible on a full disk.
    opened.exec('PRAGMA journal_mode = memory; BEGIN EXCLUSIVE');
    return { release: () => opened.close() };
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return null;
    throw error;
  }
}

/** Creates the file and follows no link in its place. */
function makeEmpty(file: string): void {
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // Another process created it meanwhile.
    if (!existsSync(file)) throw error;
  }
}
