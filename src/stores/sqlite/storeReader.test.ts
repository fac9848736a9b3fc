import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StoreReader } from './storeReader.ts';

let folder: string;
let other: Database.Database;
let reader: StoreReader;

/** Without a log next to the file, so that one connection can hold it exclusively, like one that recovers the log. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-reader-'));
  const path = join(folder, 'store.sqlite');
  other = new Database(path, { timeout: 0 });
  other.exec('create table t (a)');
  other.exec('insert into t values (1)');
  reader = new StoreReader(new Database(path, { timeout: 0 }));
  expect(await reader.all('select a from t')).toEqual([{ a: 1 }]);
});
afterEach(() => {
  reader.close(false);
  other.close();
  rmSync(folder, { recursive: true });
});

it('sees what is committed after another connection had the store to itself', async () => {
  other.exec('begin exclusive');
  const waiting = Promise.all(['a + 1', 'a + 2', 'a + 3'].map((sum) => reader.all(`select ${sum} as a from t`)));
  await turn();
  other.exec('commit');
  expect(await waiting).toEqual([[{ a: 2 }], [{ a: 3 }], [{ a: 4 }]]);
  // An unfinished read would block this one, and in a store with a log the reader would never see the change.
  other.exec('insert into t values (2)');
  expect(await reader.all('select a from t')).toEqual([{ a: 1 }, { a: 2 }]);
});
