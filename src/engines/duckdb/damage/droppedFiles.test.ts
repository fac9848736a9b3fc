import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { builtinSources } from '../../../sources/builtin.ts';
import { ManifestInMemory } from '../files/manifestInMemory.ts';
import { copyOfFolder, edgeBatch, TestStorage } from '../storage.fixture.ts';

let test: TestStorage;
const others: TestStorage[] = [];
beforeEach(async () => {
  test = await TestStorage.open({ mergeFiles: 1_000 });
  for (const name of ['a', 'b', 'c']) {
    await test.storage.log.append(edgeBatch([name]));
    await test.storage.sealNow();
  }
});
afterEach(async () => {
  for (const each of [test, ...others.splice(0)]) await each.close();
});

const sealedNames = async (dataDir: string) =>
  (await readdir(join(dataDir, 'events'))).filter((name) => name.startsWith('sealed-')).sort();
const activeNames = async (dataDir: string) =>
  (await readdir(join(dataDir, 'events'))).filter((name) => name.startsWith('active-')).sort();

it('drops files with their events at once, and those that are gone already are passed over', async () => {
  expect(await test.storage.dropSealed([1, 3, 77])).toEqual([1, 3]);
  expect(await test.ids()).toEqual(['b']);
  expect(await test.storage.dropSealed([1, 2])).toEqual([2]);
  expect(await test.ids()).toEqual([]);
  await expect.poll(() => sealedNames(test.dataDir)).toEqual([]);
  await test.storage.log.append(edgeBatch(['d']));
  await test.reopen();
  expect(await test.ids()).toEqual(['d']);
});

it('keeps a dropped file for the statements that read it', async () => {
  const lease = test.storage.files.lease();
  await test.storage.dropSealed([1]);
  expect(await sealedNames(test.dataDir)).toContain('sealed-1.duckdb');
  lease.release();
  await expect.poll(() => sealedNames(test.dataDir)).toEqual(['sealed-2.duckdb', 'sealed-3.duckdb']);
});

it('clears away at a start what a crash left of dropped files, instead of setting it aside', async () => {
  const lease = test.storage.files.lease();
  await test.storage.dropSealed([1, 2]);
  // The input of the last sealing is removed in the background; the copy must not contain it.
  await expect.poll(() => activeNames(test.dataDir)).toEqual(['active-4.duckdb', 'active-4.duckdb.wal']);
  const manifest = new ManifestInMemory();
  for (const number of [1, 2]) await manifest.commit(null, [number]);
  for (const record of await test.manifest.load()) await manifest.commit(record, []);
  const dataDir = await copyOfFolder(test.dataDir);
  lease.release();
  const crashed = new TestStorage(dataDir, { mergeFiles: 1_000 }, builtinSources, manifest);
  others.push(crashed);
  expect(await sealedNames(dataDir)).toHaveLength(3);
  await crashed.reopen();
  expect(await crashed.ids()).toEqual(['c']);
  expect(await sealedNames(dataDir)).toEqual(['sealed-3.duckdb']);
  expect(await manifest.loadDropped()).toEqual([]);
  expect(crashed.observations.filter(({ kind }) => kind === 'file.damaged')).toEqual([]);
});
