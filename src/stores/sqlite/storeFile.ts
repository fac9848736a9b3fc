import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { makeFolder } from '../../backup/makeFolder.ts';
import { requireStoreAccess } from './storeAccess.ts';
import { pathOfStore, storeFileNames } from './storeFileNames.ts';

/**
 * Makes the data folder and an empty `store.sqlite` where they are missing (modes 0700 and 0600), and takes the rights
 * of others away from what there is. Throws the system's error where this user may not read and write it.
 */
export function makeStoreFile(dataDir: string): void {
  makeFolder(dataDir, 0o700);
  requireStoreAccess(dataDir);
  const path = pathOfStore(dataDir);
  // Only a file that is not there yet is ever opened here: to close a descriptor of one that SQLite has open drops every
  // lock that this process holds on it (fcntl, POSIX), and other processes then take its log away (decision 54).
  if (!existsSync(path)) makeEmpty(path);
  // SQLite gives its -wal and -shm files the mode of the database file, so that must be right first.
  for (const name of storeFileNames) if (existsSync(join(dataDir, name))) chmodSync(join(dataDir, name), 0o600);
}

function makeEmpty(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // Another process made it meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * Runs `read` with a connection that can change nothing, beside a running service or without one. It waits at most
 * `waitMs`, holding up the thread, for another process that has the store to itself for a moment.
 *
 * A statement that `read` prepares keeps the connection open until it is collected: libsql cannot finalise one.
 */
export function readStoreFile<T>(dataDir: string, waitMs: number, read: (database: Database.Database) => T): T {
  const database = openReadOnly(dataDir, waitMs);
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** libsql knows no option for it; a URI does. */
function openReadOnly(dataDir: string, waitMs: number): Database.Database {
  return new Database(`${pathToFileURL(pathOfStore(dataDir)).href}?mode=ro`, { timeout: waitMs });
}

/**
 * A connection for queries that never waits: for another one it refuses with SQLITE_BUSY. It may mend the log that a killed
 * process left, and changes nothing else.
 */
export function openForQueries(dataDir: string): Database.Database {
  const database = new Database(pathOfStore(dataDir), { timeout: 0 });
  database.exec('pragma query_only = on');
  return database;
}
