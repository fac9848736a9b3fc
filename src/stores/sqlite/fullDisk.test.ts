import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StoreDatabase } from '../sql/schema.ts';
import { openDatabase } from './database.ts';

let dataDir: string;
let database: StoreDatabase;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'logmill-full-'));
  database = await openDatabase(dataDir);
  await sql`create table big (n integer, text text)`.execute(database);
});
afterEach(async () => {
  await database.destroy();
  rmSync(dataDir, { recursive: true });
});

/** If the file would exceed its pages, SQLite fails as it does on a full device. */
const leaveRoom = (pages: number) => sql`pragma max_page_count = ${sql.raw(String(pages))}`.execute(database);
const write = (n: number) => sql`insert into big values (${n}, ${'x'.repeat(100_000)})`.execute(database);
const count = async () => (await sql<{ n: number }>`select count(*) as n from big`.execute(database)).rows[0]?.n;

it('refuses a change without room with a code, changes nothing, and goes on when there is room', async () => {
  await leaveRoom(1);
  await expect(write(1)).rejects.toMatchObject({ code: 'service.disk_full', retryAfterSeconds: 10 });
  expect(await count()).toBe(0);
  await leaveRoom(1_000_000);
  await write(2);
  expect(await count()).toBe(1);
});

it('takes back what a transaction had changed before the room ended', async () => {
  await leaveRoom(1);
  const change = database.transaction().execute(async (trx) => {
    await sql`insert into big values (1, 'small')`.execute(trx);
    await sql`insert into big values (2, ${'x'.repeat(100_000)})`.execute(trx);
  });
  await expect(change).rejects.toMatchObject({ code: 'service.disk_full' });
  expect(await count()).toBe(0);
});
