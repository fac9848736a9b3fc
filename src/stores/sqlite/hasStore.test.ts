import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DamagedStore } from './damagedStore.ts';
import { openDatabase } from './database.ts';
import { isNewerStore } from './hasStore.ts';
import { migrations } from './migrations/index.ts';
import { latestMigration } from './migrations/latestMigration.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'logmill-newer-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

it('tells a store of a newer version, also while it is open, from one of this or an older version', async () => {
  expect(isNewerStore(dataDir)).toBe(false);
  const database = await openDatabase(dataDir);
  expect(isNewerStore(dataDir)).toBe(false);
  await sql`insert into kysely_migration (name, timestamp) values ('9999_later', '')`.execute(database);
  expect(isNewerStore(dataDir)).toBe(true);
  await sql`delete from kysely_migration where name >= ${latestMigration}`.execute(database);
  expect(isNewerStore(dataDir)).toBe(false);
  await database.destroy();
});

it('knows the last migration', () => {
  expect(latestMigration).toBe(Object.keys(migrations).sort().at(-1));
});

it('refuses a file that is no database', () => {
  writeFileSync(join(dataDir, 'store.sqlite'), 'not a database'.repeat(100));
  expect(() => isNewerStore(dataDir)).toThrow(DamagedStore);
});
