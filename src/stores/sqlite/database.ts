import { Kysely, Migrator } from 'kysely';
import type { StoreDatabase, StoreSchema } from '../sql/schema.ts';
import { asDamagedStore } from './damagedStore.ts';
import { migrations } from './migrations/index.ts';
import { NewerStore } from './newerStore.ts';
import { storeDialect } from './storeDialect.ts';
import { StoreDriver } from './storeDriver.ts';
import { makeStoreFile, openForQueries } from './storeFile.ts';
import { pathOfStore } from './storeFileNames.ts';
import { StoreReader } from './storeReader.ts';
import { StoreThread } from './storeThread.ts';

/**
 * Opens `store.sqlite` in the data folder, creates both if they are missing (modes 0700 and 0600), and migrates the
 * tables. The server and the CLI may have it open at the same time: changes wait for each other, reads never wait. A
 * commit is durable when it returns. Close with `destroy()`.
 *
 * Throws NewerStore if a newer version wrote it, DamagedStore if the file is not a database, and the system's error if
 * this user may not read and write it.
 */
export async function openDatabase(dataDir: string): Promise<StoreDatabase> {
  makeStoreFile(dataDir);
  const reader = new StoreReader(openForQueries(dataDir));
  const thread = new StoreThread(dataDir);
  const database = new Kysely<StoreSchema>({ dialect: storeDialect(new StoreDriver(reader, thread)) });
  try {
    const [mode] = await reader.all('pragma journal_mode');
    // A new file, or a copy from a backup. The mode is stored in the file.
    if ((mode as { readonly journal_mode: string }).journal_mode !== 'wal') await thread.run({ kind: 'open' });
    await migrate(reader, database);
  } catch (error) {
    await thread.close();
    reader.close(false);
    throw asDamagedStore(error, pathOfStore(dataDir));
  }
  return database;
}

async function migrate(reader: StoreReader, database: StoreDatabase): Promise<void> {
  const done = await migrationsDone(reader);
  const known = Object.keys(migrations).sort();
  const unknown = done.find((name) => !Object.hasOwn(migrations, name));
  if (unknown !== undefined) throw new NewerStore(unknown);
  // Most starts end here, with one read. The migrator would inspect every table, and write.
  if (done.length === known.length) return;
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Names of the migrations that the store has; each is recorded in its own transaction. */
async function migrationsDone(reader: StoreReader): Promise<readonly string[]> {
  const table = "select name from sqlite_master where type = 'table' and name = 'kysely_migration'";
  if ((await reader.all(table)).length === 0) return [];
  const rows = await reader.all('select name from kysely_migration');
  return rows.map((row) => (row as { readonly name: string }).name);
}
