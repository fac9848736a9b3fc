import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, Migrator } from 'kysely';
import Database from 'libsql';
import { asDamagedStore } from './damagedStore.ts';
import { LibsqlDialect } from './libsqlDialect.ts';
import { isBusy } from './libsqlDriver.ts';
import { migrations } from './migrations/index.ts';
import { NewerStore } from './newerStore.ts';
import type { StoreSchema } from './schema.ts';
import { makeStoreFile } from './storeFile.ts';
import { pathOfStore } from './storeFileNames.ts';

export type StoreDatabase = Kysely<StoreSchema>;

/** How long SQLite itself waits, holding up the process. Longer waits are the driver's. */
const busyTimeoutMs = 50;
const walAttempts = 50;

/**
 * Opens `store.sqlite` in the data folder, creating both where they are missing (modes 0700 and 0600),
 * and brings its tables up to date. The server and the CLI may have it open at the same time: writes
 * wait for one another, reads never wait. A commit is durable when it returns. Close with `destroy()`.
 *
 * Throws NewerStore where it was made by a newer version, DamagedStore where the file is no database, the system's error where
 * this user may not read and write it.
 */
export async function openDatabase(dataDir: string): Promise<StoreDatabase> {
  makeStoreFile(dataDir);
  const path = pathOfStore(dataDir);
  const connection = new Database(path, { timeout: busyTimeoutMs });
  try {
    await useWriteAheadLog(connection);
    connection.exec('pragma synchronous = full; pragma foreign_keys = on');
  } catch (error) {
    connection.close();
    throw asDamagedStore(error, path);
  }
  const database = new Kysely<StoreSchema>({ dialect: new LibsqlDialect(connection) });
  try {
    await migrate(connection, database);
  } catch (error) {
    await database.destroy();
    throw asDamagedStore(error, path);
  }
  return database;
}

/** The switch ignores busy_timeout while another process makes it too; the mode then sticks to the file. */
async function useWriteAheadLog(connection: Database.Database): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      connection.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusy(error) || attempt === walAttempts) throw error;
      await delay(20);
    }
  }
}

async function migrate(connection: Database.Database, database: StoreDatabase): Promise<void> {
  const done = migrationsDone(connection);
  const known = Object.keys(migrations).sort();
  const unknown = done.find((name) => !Object.hasOwn(migrations, name));
  if (unknown !== undefined) throw new NewerStore(unknown);
  // Most starts end here, with one read; the migrator looks at every table, and writes.
  if (done.length === known.length) return;
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Names of the migrations that were run on the store; each is recorded in the transaction that made it. */
function migrationsDone(connection: Database.Database): readonly string[] {
  const table = connection.prepare("select name from sqlite_master where type = 'table' and name = ?");
  if (table.all(['kysely_migration']).length === 0) return [];
  return connection
    .prepare('select name from kysely_migration')
    .all()
    .map((row) => (row as { readonly name: string }).name);
}
