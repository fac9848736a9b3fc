import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { builtModule } from '../../../test/support/builtModule.ts';
import { checkDataFolder } from '../../start/doctor/dataFolder.ts';
import { checkStore } from '../../start/doctor/storeCheck.ts';
import { requireDataFolder } from '../../start/requireDataFolder.ts';
import { copyDatabase } from './copyDatabase.ts';
import { openDatabase } from './database.ts';
import { hasStore } from './hasStore.ts';
import { readStoreFile } from './storeFile.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * The command line on the folder of a running service: another process opens the store, and closes it as the last one
 * that it knows of.
 */
function openElsewhere(): void {
  const script = `
    import { openDatabase } from ${builtModule('database')};
    const database = await openDatabase(${JSON.stringify(folder)});
    await database.selectFrom('tokens').selectAll().execute();
    await database.destroy();`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  expect([status, String(stderr)]).toEqual([0, '']);
}

const logOfStore = () => statSync(join(folder, 'store.sqlite-wal')).ino;

it.each<[string, () => unknown]>([
  ['looking whether there is a store', () => hasStore(folder)],
  ['opening it a second time, and closing it', async () => await (await openDatabase(folder)).destroy()],
  ['the doctor', () => [checkStore(folder), checkDataFolder(folder)]],
  ['a command that asks whether it is a data folder', () => requireDataFolder(folder)],
  ['a backup', () => copyDatabase(folder, join(folder, 'copy.sqlite'))],
])('keeps its locks through %s, so that no other process takes its log away', async (_what, touch) => {
  await (await openDatabase(folder)).destroy();
  // As in a start, a connection left over from this call is still open when the store is.
  hasStore(folder);
  const database = await openDatabase(folder);
  await database.selectFrom('tokens').selectAll().execute();
  const log = logOfStore();
  await touch();
  openElsewhere();
  expect(logOfStore()).toBe(log);
  await database.insertInto('generations').values({ subject: 'tokens', generation: 7 }).execute();
  const script = `
    import { openDatabase } from ${builtModule('database')};
    const database = await openDatabase(${JSON.stringify(folder)});
    console.log(JSON.stringify(await database.selectFrom('generations').selectAll().execute()));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  expect(String(stdout)).toBe('[{"subject":"tokens","generation":7}]\n');
  await database.destroy();
});

it('reads without being able to change anything', async () => {
  await (await openDatabase(folder)).destroy();
  readStoreFile(folder, 0, (database) => {
    expect(database.prepare('select count(*) as n from tokens').all()).toEqual([{ n: 0 }]);
    expect(() => database.exec('delete from tokens')).toThrow('readonly');
  });
});

it('opens the store and the lock of the named folder if its relative path looks like a URI', () => {
  const script = `
    import { openDatabase } from ${builtModule('database')};
    import { copyDatabase } from ${builtModule('copyDatabase')};
    import { hasStore } from ${builtModule('hasStore')};
    import { lockFolder, readFolderHolder } from ${builtModule('folderLock')};
    await (await openDatabase('other')).destroy();
    const lock = lockFolder('file:other', 0);
    const database = await openDatabase('file:other');
    await database.insertInto('generations').values({ subject: 'tokens', generation: 7 }).execute();
    await copyDatabase('file:other', 'file:copy');
    console.log(readFolderHolder('other'), readFolderHolder('file:other') !== null, hasStore('file:other'));
    await database.destroy();
    lock.release();`;
  writeFileSync(join(folder, 'script.mjs'), script);
  const { stdout, stderr } = spawnSync(process.execPath, ['script.mjs'], { cwd: folder });
  expect([String(stdout), String(stderr)]).toEqual(['null true true\n', '']);
  expect(readdirSync(folder).sort()).toEqual(['file:copy', 'file:other', 'other', 'script.mjs']);
  const generations = (of: string) =>
    readStoreFile(join(folder, of), 0, (database) => database.prepare('select generation from generations').all());
  expect(generations('file:other')).toEqual([{ generation: 7 }]);
  expect(generations('other')).toEqual([]);
});
