import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtModule } from '../../../test/support/builtModule.ts';
import { openDatabase } from './database.ts';
import { migrations } from './migrations/index.ts';

describe('openDatabase', () => {
  let parent: string;
  let dataDir: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'logmill-database-'));
    dataDir = join(parent, 'data');
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('makes the folder and its files readable by their owner alone', async () => {
    const database = await openDatabase(dataDir);
    expect(modeOf(dataDir)).toBe('700');
    const files = readdirSync(dataDir);
    expect(files).toContain('store.sqlite-wal');
    for (const file of files) expect([file, modeOf(join(dataDir, file))]).toEqual([file, '600']);
    await database.destroy();
  });

  it('takes rights away from a file that others could read', async () => {
    await (await openDatabase(dataDir)).destroy();
    chmodSync(join(dataDir, 'store.sqlite'), 0o644);
    const database = await openDatabase(dataDir);
    for (const file of readdirSync(dataDir)) expect([file, modeOf(join(dataDir, file))]).toEqual([file, '600']);
    await database.destroy();
  });

  it('makes every commit durable, in a write-ahead log, with foreign keys checked', async () => {
    const database = await openDatabase(dataDir);
    const pragma = async (name: string) => (await sql`pragma ${sql.raw(name)}`.execute(database)).rows[0];
    expect(await pragma('journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(await pragma('synchronous')).toEqual({ synchronous: 2 });
    expect(await pragma('foreign_keys')).toEqual({ foreign_keys: 1 });
    await database.destroy();
  });

  it('opens a new folder from several processes at once', async () => {
    const script = `
      import { openDatabase } from ${builtModule('database')};
      import { SqlTokenStore } from ${builtModule('sqlTokenStore')};
      const database = await openDatabase(${JSON.stringify(dataDir)});
      const store = new SqlTokenStore(database);
      for (let i = 0; i < 20; i++) await store.revoke('nobody', i);
      await database.destroy();`;
    const run = () =>
      new Promise<{ code: number | null; output: string }>((resolve) => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
        let output = '';
        child.stderr.on('data', (chunk) => {
          output += String(chunk);
        });
        child.on('close', (code) => resolve({ code, output }));
      });
    const ended = await Promise.all([run(), run(), run()]);
    expect(ended).toEqual(ended.map(() => ({ code: 0, output: '' })));
    const database = await openDatabase(dataDir);
    const rows = await database.selectFrom('generations').selectAll().execute();
    expect(rows).toEqual([{ subject: 'tokens', generation: 60 }]);
    await database.destroy();
  });

  it('says so when the store was written by a newer version', async () => {
    const database = await openDatabase(dataDir);
    await sql`insert into kysely_migration (name, timestamp) values ('9999_from_the_future', '')`.execute(database);
    await database.destroy();
    await expect(openDatabase(dataDir)).rejects.toThrow(/newer version of Logmill .*9999_from_the_future/);
  });

  it('fails on a file that is no database', async () => {
    mkdirSync(dataDir);
    writeFileSync(
      join(dataDir, 'store.sqlite'),
      'this is not a database, and long enough to be looked at as one'.repeat(50),
    );
    await expect(openDatabase(dataDir)).rejects.toThrow(/not a database/);
  });

  it('undoes a write that fails, and goes on', async () => {
    const database = await openDatabase(dataDir);
    const row = { subject: 'x', generation: 1 };
    await database.insertInto('generations').values(row).execute();
    await expect(database.insertInto('generations').values(row).execute()).rejects.toThrow(/UNIQUE/);
    await expect(
      database.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('generations').execute();
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect(await database.selectFrom('generations').selectAll().execute()).toEqual([row]);
    await database.destroy();
  });

  it('refuses a value that the library would end the process on', async () => {
    const database = await openDatabase(dataDir);
    await expect(sql`select ${true} as x`.execute(database)).rejects.toThrow('boolean');
    await expect(sql`select ${Number.NaN} as x`.execute(database)).rejects.toThrow('number');
    await database.destroy();
  });

  it('lets a running transaction end before it closes', async () => {
    const database = await openDatabase(dataDir);
    const writing = database.transaction().execute(async (transaction) => {
      for (let i = 0; i < 10; i++)
        await transaction
          .insertInto('generations')
          .values({ subject: `s${i}`, generation: i })
          .execute();
    });
    await Promise.all([writing, database.destroy()]);
    const again = await openDatabase(dataDir);
    expect(await again.selectFrom('generations').selectAll().execute()).toHaveLength(10);
    await again.destroy();
  });
});

it('lists migrations in the order of their numbers, each with a number of its own', () => {
  const names = Object.keys(migrations);
  expect(names).toEqual([...names].sort());
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^\d{4}_[a-z_]+$/);
});
