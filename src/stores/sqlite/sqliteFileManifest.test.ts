import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { fileManifestContract } from '../../ports/fileManifest.contract.ts';
import type { StoreDatabase } from '../sql/schema.ts';
import { openDatabase } from './database.ts';
import { SqliteFileManifest } from './sqliteFileManifest.ts';

const folders: string[] = [];
let databases: StoreDatabase[] = [];

afterEach(async () => {
  for (const database of databases) await database.destroy();
  databases = [];
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function openManifest(folder: string): Promise<SqliteFileManifest> {
  const database = await openDatabase(folder);
  databases.push(database);
  return new SqliteFileManifest(database);
}

fileManifestContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'logmill-manifest-'));
  folders.push(folder);
  return { manifest: await openManifest(folder), reopen: async () => await openManifest(folder) };
});
