import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { builtModule } from '../../test/support/builtModule.ts';
import { hasStore } from '../stores/sqlite/hasStore.ts';
import { checkDataFolder } from './doctor/dataFolder.ts';
import { checkStore } from './doctor/storeCheck.ts';
import { requireDataFolder } from './requireDataFolder.ts';

const nobody = 65_534;

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'logmill-foreign-')), 'data');
  mkdirSync(join(folder, 'events'), { recursive: true });
  writeFileSync(join(folder, 'store.sqlite'), '');
});

const shutFolder = (isRoot: boolean) => chmodSync(folder, isRoot ? 0o700 : 0);

/**
 * Output of a function of a module (builtModule.ts), called with the folder in a process of another user. Root may look
 * everywhere, so it becomes nobody; other users close the folder.
 */
function asAnother(module: string, name: string, shut = shutFolder): string {
  const isRoot = process.getuid?.() === 0;
  chmodSync(join(folder, '..'), 0o755);
  shut(isRoot);
  // It drops root after everything is loaded, because nobody may not be allowed into the folder of the clone.
  const script = `
    import { ${name} } from ${builtModule(module)};
    if (${isRoot}) {
      process.setgroups([]);
      process.setgid(${nobody});
      process.setuid(${nobody});
    }
    try { console.log(JSON.stringify(${name}(process.argv[1]))); } catch (error) { console.log(error.name + ': ' + error.message); }
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script, '--', folder], {
    encoding: 'utf8',
  });
  chmodSync(folder, 0o700);
  expect(stderr).toBe('');
  return stdout.trim();
}

it('is told by the doctor to be of another user, instead of ending it', () => {
  const findings: unknown = JSON.parse(asAnother('dataFolder', 'checkDataFolder'));
  expect(findings).toMatchObject([{ check: 'access', status: 'fail', message: expect.stringContaining(folder) }]);
  expect(checkDataFolder(folder)).toMatchObject([{ check: 'access', status: 'ok' }, {}, {}]);
});

it('is told by commands on the folder to be of another user, not to be of something else', () => {
  expect(asAnother('requireDataFolder', 'requireDataFolder')).toBe(
    `StartError: This user may not read and write the data folder ${folder} (EACCES). Run the command as the user who owns the folder.`,
  );
  expect(() => requireDataFolder(folder)).not.toThrow();
  expect(() => requireDataFolder(join(folder, 'events'))).toThrow('events is not the data folder of a Logmill service');
  expect(() => requireDataFolder(join(folder, 'store.sqlite'))).toThrow('is not the data folder of a Logmill service');
});

it('is told by commands and starts where it is only a file of the store that is of another user, which one', () => {
  const store = join(folder, 'store.sqlite');
  for (const file of [store, `${store}-wal`]) {
    writeFileSync(store, '');
    writeFileSync(file, '');
    const told = asAnother('hasStore', 'hasStore', (isRoot) => {
      chmodSync(folder, isRoot ? 0o777 : 0o700);
      chmodSync(store, 0o666);
      chmodSync(file, isRoot ? 0o600 : 0);
    });
    expect(told).toBe(`Error: EACCES: permission denied, access '${file}'`);
    rmSync(file);
  }
  writeFileSync(store, '');
  expect(hasStore(folder)).toBe(false);
});

it('is told by the doctor to lack its store, or to be empty', () => {
  expect(checkStore(join(folder, 'events')).findings).toMatchObject([{ check: 'store', status: 'warn' }]);
  writeFileSync(join(folder, 'events', 'lock'), '');
  expect(checkStore(join(folder, 'events')).findings).toMatchObject([{ check: 'store', status: 'warn' }]);
  writeFileSync(join(folder, 'events', 'sealed-1.duckdb'), '');
  expect(checkStore(join(folder, 'events')).findings).toMatchObject([{ check: 'store', status: 'fail' }]);
});
