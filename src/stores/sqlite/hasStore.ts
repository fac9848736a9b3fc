import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { asDamagedStore } from './damagedStore.ts';
import { requireStoreAccess } from './storeAccess.ts';

/**
 * Whether a data folder has a store with tables: not where `store.sqlite` is missing, empty, or without the log beside
 * it that held everything. Changes nothing. Throws DamagedStore where the file is no database, the
 * system's error where this user may not read and write it.
 */
export function hasStore(dataDir: string): boolean {
  const path = join(dataDir, 'store.sqlite');
  if (!existsSync(path)) return false;
  requireStoreAccess(dataDir);
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { readonly: true, timeout: 5000 });
    const tables: unknown = database.prepare("select count(*) as n from sqlite_master where type = 'table'").get();
    return (tables as { readonly n: number }).n > 0;
  } catch (error) {
    throw asDamagedStore(error, path);
  } finally {
    database?.close();
  }
}
