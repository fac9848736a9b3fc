import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { makeFolder } from '../../backup/makeFolder.ts';
import { databasePath } from '../../files/databasePath.ts';
import { requireStoreAccess } from './storeAccess.ts';
import { pathOfStore, storeFileNames } from './storeFileNames.ts';

/**
 * Creates the data folder and an empty `store.sqlite` if they are missing (modes 0700 and 0600), and removes the rights
 * of other users from existing files. Throws the system's error if this user may not read and write them.
 */
export function makeStoreFile(dataDir: string): void {
  makeFolder(dataDir, 0o700);
  requireStoreAccess(dataDir);
  const path = pathOfStore(dataDir);
  // Only a missing file is ever opened here. Closing a descriptor of a file that SQLite has open drops every lock of
  // this process on it (fcntl, POSIX), and other processes then remove its log (decision 54).
  if (!existsSync(path)) makeEmpty(path);
  // SQLite gives its -wal and -shm files the mode of the database file, so this mode must be right first.
  for (const name of storeFileNames) if (existsSync(join(dataDir, name))) chmodSync(join(dataDir, name), 0o600);
}

function makeEmpty(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // Another process created it meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * Runs `read` with a read-only connection, whether or not a service is running. Waits at most `waitMs`, and blocks the
 * thread, for another process that holds the store exclusively for a moment.
 *
 * A statement that `read` prepares keeps the connection open until garbage collection, because libsql cannot finalise
 * one.
 */
export function readStoreFile<T>(dataDir: string, waitMs: number, read: (database: Database.Database) => T): T {
  const database = openReadOnly(dataDir, waitMs);
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** libsql has no option for this; a URI works. */
function openReadOnly(dataDir: string, waitMs: number): Database.Database {
  return new Database(`${pathToFileURL(pathOfStore(dataDir)).href}?mode=ro`, { timeout: waitMs });
}

/**
 * Opens a connection for queries that never waits: if another connection holds a lock, it fails with SQLITE_BUSY. It
 * may recover the log of a killed process, and changes nothing else.
 */
export function openForQueries(dataDir: string): Database.Database {
  const database = new Database(databasePath(pathOfStore(dataDir)), { timeout: 0 });
  database.exec('pragma query_only = on');
  return database;
}
