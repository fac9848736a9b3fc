import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StoreDatabase } from '../sql/schema.ts';
import { SqlDeletionStore } from '../sql/sqlDeletionStore.ts';
import { SqlRetentionStore } from '../sql/sqlRetentionStore.ts';
import { openDatabase } from './database.ts';
import { SqliteFileManifest } from './sqliteFileManifest.ts';

let folder: string;
let database: StoreDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logmill-retention-'));
  database = await openDatabase(folder);
});
afterEach(async () => {
  await database.destroy();
  await rm(folder, { recursive: true });
});

it('moves marks on and never back with a commit of the manifest', async () => {
  const store = new SqlRetentionStore(database);
  const mark = (micros: number) => [{ source: 's', project: null, micros }];
  await store.change([], mark(7));
  await new SqliteFileManifest(database).commit(null, [], { deleted: [], marks: mark(9) });
  await store.change([], mark(8));
  expect(await store.loadMarks()).toEqual(mark(9));
});

it('keeps deletions with what was removed, counted by commits of the manifest', async () => {
  const store = new SqlDeletionStore(database);
  const base = { source: null, beforeMicros: null, requestedMicros: 3, requestedBy: 'someone' };
  await store.add({ ...base, token: 4, id: 'a', project: 'p' });
  await store.add({ ...base, token: 6, id: 'b', project: 'p', source: 's', beforeMicros: 2 });
  await store.add({ ...base, token: 5, id: 'c', project: 'q' });
  const manifest = new SqliteFileManifest(database);
  const counted = (deletion: number, source: string, events: number) => ({
    deletion,
    source,
    events,
    bytes: 10 * events,
  });
  await manifest.commit(null, [], { deleted: [counted(4, 't', 1), counted(4, 's', 2)], marks: [] });
  await manifest.commit(null, [], { deleted: [counted(4, 's', 3), counted(5, 's', 1)], marks: [] });
  await store.complete(4, 99);
  await store.complete(4, 100);
  expect((await store.load()).map(({ id, completedMicros }) => [id, completedMicros])).toEqual([
    ['a', 99],
    ['c', null],
    ['b', null],
  ]);
  expect((await store.list('p', 10)).map(({ id }) => id)).toEqual(['b', 'a']);
  expect((await store.list('p', 1)).map(({ id }) => id)).toEqual(['b']);
  expect(await store.find('p', 'a')).toMatchObject({
    token: 4,
    sources: [
      { source: 's', events: 5, bytes: 50 },
      { source: 't', events: 1, bytes: 10 },
    ],
  });
  expect(await store.find('q', 'a')).toBeNull();
  expect(await store.find('p', 'b')).toMatchObject({ source: 's', beforeMicros: 2, sources: [] });
});
