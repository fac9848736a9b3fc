import { existsSync } from 'node:fs';
import { asDamagedStore } from './damagedStore.ts';
import { requireStoreAccess } from './storeAccess.ts';
import { readStoreFile } from './storeFile.ts';
import { pathOfStore } from './storeFileNames.ts';

const waitMs = 5_000;

/**
 * Whether a data folder has a store with tables. False if `store.sqlite` is missing, empty, or without the write-ahead
 * log that held everything. Changes nothing. Throws DamagedStore if the file is not a database, and the system's error
 * if this user may not read and write it.
 */
export function hasStore(dataDir: string): boolean {
  const path = pathOfStore(dataDir);
  if (!existsSync(path)) return false;
  requireStoreAccess(dataDir);
  try {
    // Not prepared, so that nothing keeps the connection open. The first migration creates the table.
    readStoreFile(dataDir, waitMs, (database) => database.exec('select 1 from kysely_migration limit 1'));
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('no such table')) return false;
    throw asDamagedStore(error, path);
  }
}
