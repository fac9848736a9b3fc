import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataEntries, refuseForeignFiles, tightenDataFolder } from './dataEntries.ts';
import { checkDataFolder } from './doctor/dataFolder.ts';
import { lockFolder } from './folderLock.ts';
import { requireDataFolder } from './requireDataFolder.ts';

let root: string;
let dataDir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logmill-entries-'));
  dataDir = join(root, 'data');
  mkdirSync(join(dataDir, 'events', 'damaged'), { recursive: true, mode: 0o755 });
  for (const name of [
    'store.sqlite',
    'lock',
    'admin-token',
    'events/sealed-1.duckdb',
    'events/damaged/active-2.duckdb',
  ]) {
    writeFileSync(join(dataDir, name), '');
    chmodSync(join(dataDir, name), 0o644);
  }
  for (const name of ['', 'events', 'events/damaged']) chmodSync(join(dataDir, name), 0o755);
  writeFileSync(join(root, 'outside'), '');
  chmodSync(join(root, 'outside'), 0o644);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (name: string) => statSync(join(dataDir, name)).mode & 0o777;
const links = () => checkDataFolder(dataDir).filter(({ check }) => check === 'hard links');
const permissions = () => checkDataFolder(dataDir).filter(({ check }) => check === 'permissions');

describe('a data folder that others may read', () => {
  it('is closed but for itself, and the doctor tells of it before', () => {
    writeFileSync(join(dataDir, 'of-the-operator'), '');
    chmodSync(join(dataDir, 'of-the-operator'), 0o644);
    expect(permissions()).toMatchObject([{ status: 'fail', message: expect.stringContaining('and 2 more') }]);
    tightenDataFolder(dataDir);
    for (const { path, kind } of dataEntries(dataDir)) {
      expect([path, lstatSync(path).mode & 0o777]).toEqual([path, kind === 'folder' ? 0o700 : 0o600]);
    }
    expect([modeOf(''), modeOf('of-the-operator')]).toEqual([0o755, 0o644]);
    expect(permissions()).toMatchObject([{ status: 'ok' }]);
  });

  it('is told of event files alone, and of none behind a folder that is shut', () => {
    tightenDataFolder(dataDir);
    chmodSync(join(dataDir, 'events', 'sealed-1.duckdb'), 0o640);
    expect(permissions()).toMatchObject([
      { status: 'fail', message: expect.stringContaining('events/sealed-1.duckdb') },
    ]);
    chmodSync(dataDir, 0o700);
    expect(permissions()).toMatchObject([{ status: 'ok' }]);
    chmodSync(join(dataDir, 'admin-token'), 0o644);
    expect(permissions()).toMatchObject([{ status: 'fail', message: expect.stringContaining('admin-token') }]);
  });

  it('may not be written by others', () => {
    tightenDataFolder(dataDir);
    chmodSync(dataDir, 0o777);
    expect(permissions()).toMatchObject([{ status: 'fail', message: expect.stringContaining('replace') }]);
  });

  it('is followed through no link, and the doctor names links', () => {
    symlinkSync(join(root, 'outside'), join(dataDir, 'events', 'sealed-2.duckdb'));
    symlinkSync(root, join(dataDir, 'backup-copies'));
    tightenDataFolder(dataDir);
    expect(statSync(join(root, 'outside')).mode & 0o777).toBe(0o644);
    expect(permissions()).toMatchObject([
      { status: 'ok' },
      { status: 'warn', message: expect.stringMatching(/sealed-2\.duckdb.*backup-copies/) },
    ]);
  });
});

describe('a data folder with links in the place of files that are written', () => {
  const names = ['admin-token', 'store.sqlite', 'store.sqlite-wal', 'lock', 'lock-holder.json', 'demo.json'];

  it.each([...names, ...names.slice(4).map((name) => `${name}.tmp`)])('is refused for %s', (name) => {
    const path = join(dataDir, name);
    rmSync(path, { force: true });
    symlinkSync(join(root, 'nowhere'), path);
    const message = `${path} is a symbolic link, but Logmill writes a file of that name`;
    expect(() => refuseForeignFiles(dataDir)).toThrow(message);
    expect(() => requireDataFolder(dataDir)).toThrow(message);
    rmSync(path);
    execFileSync('mkfifo', [path]);
    expect(() => refuseForeignFiles(dataDir)).toThrow(`${path} is a pipe, socket or device`);
  });

  it('is refused for event files that are written, and not for others', () => {
    refuseForeignFiles(dataDir);
    for (const name of ['active-3.duckdb', 'active-3.duckdb.wal', 'sealing-3.tmp', 'damaged/active-3.duckdb']) {
      const path = join(dataDir, 'events', name);
      symlinkSync(join(root, 'nowhere'), path);
      expect(() => tightenDataFolder(dataDir)).toThrow(`${path} is a symbolic link`);
      rmSync(path);
    }
    rmSync(join(dataDir, 'events'), { recursive: true });
    mkdirSync(join(root, 'other-disk'));
    symlinkSync(join(root, 'other-disk'), join(dataDir, 'events'));
    refuseForeignFiles(dataDir);
    tightenDataFolder(dataDir);
  });

  it('is written through no link by its lock, even if the link appears after the check', () => {
    for (const name of ['lock', 'lock-holder.json']) {
      rmSync(join(dataDir, name), { force: true });
      symlinkSync(join(root, 'nowhere'), join(dataDir, name));
      expect(() => lockFolder(dataDir, 0)).toThrow('data folder');
      rmSync(join(dataDir, name));
    }
    expect(existsSync(join(root, 'nowhere'))).toBe(false);
  });
});

describe('a data folder that shares files with another one', () => {
  it.each(['store.sqlite', 'store.sqlite-wal', 'events/active-3.duckdb', 'events/active-3.duckdb.wal'])(
    'is refused for %s, and the doctor names it',
    (name) => {
      const path = join(dataDir, name);
      writeFileSync(path, '');
      tightenDataFolder(dataDir);
      expect(links()).toEqual([]);
      linkSync(path, join(root, 'elsewhere'));
      const message = `${path} is also a file of another folder`;
      expect(() => {
        refuseForeignFiles(dataDir);
        tightenDataFolder(dataDir);
      }).toThrow(message);
      if (name.startsWith('store')) expect(() => requireDataFolder(dataDir)).toThrow(message);
      expect(links()).toMatchObject([{ status: 'fail', message: expect.stringContaining(`${name} is also a file`) }]);
      rmSync(join(root, 'elsewhere'));
      refuseForeignFiles(dataDir);
      tightenDataFolder(dataDir);
    },
  );

  it('is not refused for segments that never change, and for its lock', () => {
    for (const name of ['lock', 'events/sealed-1.duckdb', 'events/damaged/active-2.duckdb']) {
      linkSync(join(dataDir, name), join(root, `linked-${name.replaceAll('/', '-')}`));
    }
    refuseForeignFiles(dataDir);
    tightenDataFolder(dataDir);
    expect(links()).toEqual([]);
  });
});
