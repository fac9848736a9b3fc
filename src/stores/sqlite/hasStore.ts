import { existsSync } from 'node:fs';
import { asDamagedStore } from './damagedStore.ts';
import { latestMigration } from './migrations/latestMigration.ts';
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
  // The first migration creates the table.
  return outcomeOf(dataDir, 'select 1 from kysely_migration limit 1') === 'done';
}

/**
 * Whether a newer version wrote the store of a data folder, with migrations that this one does not know. Loads little.
 * Changes nothing, and throws like `hasStore`.
 */
export function isNewerStore(dataDir: string): boolean {
  const failsForEach = `select abs(-9223372036854775807 - (name > '')) from kysely_migration`;
  return outcomeOf(dataDir, `${failsForEach} where name > '${latestMigration}'`) === 'integer overflow';
}

const failures = ['no such table', 'integer overflow'] as const;

/** Runs a statement without preparing it, so that nothing keeps the connection open; it gives no rows then, but may fail. */
function outcomeOf(dataDir: string, sql: string): 'done' | (typeof failures)[number] {
  const path = pathOfStore(dataDir);
  if (!existsSync(path)) return 'no such table';
  requireStoreAccess(dataDir);
  try {
    readStoreFile(dataDir, waitMs, (database) => database.exec(sql));
    return 'done';
  } catch (error) {
    const failure = failures.find((each) => error instanceof Error && error.message.includes(each));
    if (failure !== undefined) return failure;
    throw asDamagedStore(error, path);
  }
}
