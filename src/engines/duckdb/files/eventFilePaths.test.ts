import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { edgeBatch, TestStorage } from '../storage.fixture.ts';
import { EventFilePaths } from './eventFilePaths.ts';

let root: string;
let folder: EventFilePaths;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'logmill-folder-'));
  folder = new EventFilePaths(root);
  await folder.create();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const gone = 'is no longer the folder that the service was started on';

it('touches nothing in another folder that was put in its place', async () => {
  writeFileSync(folder.activePath(1), 'own');
  await folder.remove(folder.activePath(1));
  renameSync(folder.path, join(root, 'moved'));
  await expect(folder.remove(folder.activePath(1))).rejects.toThrow(gone);
  mkdirSync(folder.path);
  for (const name of ['active-1.duckdb', 'active-1.duckdb.wal', 'sealing-2.tmp']) {
    writeFileSync(join(folder.path, name), 'of another service');
  }
  const before = readdirSync(folder.path, { recursive: true });
  for (const change of [
    () => folder.remove(folder.activePath(1)),
    () => folder.removeTemporary(2),
    () => folder.publish(2),
    () => folder.quarantine(folder.activePath(1)),
  ]) {
    await expect(change()).rejects.toThrow(gone);
  }
  expect(readdirSync(folder.path, { recursive: true })).toEqual(before);
});

it('refuses a batch that would go to a new file there, and keeps what was acknowledged', async () => {
  const test = await TestStorage.open();
  await test.storage.log.append(edgeBatch(['a']));
  const moved = `${test.eventsDir}-moved`;
  renameSync(test.eventsDir, moved);
  mkdirSync(test.eventsDir);
  writeFileSync(join(test.eventsDir, 'active-1.duckdb'), 'of another service');
  await expect(test.storage.log.append(edgeBatch(['b']))).rejects.toThrow('could not be written');
  expect(readdirSync(test.eventsDir)).toEqual(['active-1.duckdb']);
  expect(existsSync(join(moved, 'active-1.duckdb'))).toBe(true);
  rmSync(test.eventsDir, { recursive: true });
  renameSync(moved, test.eventsDir);
  await test.storage.log.append(edgeBatch(['c']));
  expect([...(await test.ids())].sort()).toEqual(['a', 'c']);
  await test.close();
});
