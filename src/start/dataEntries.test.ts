import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataEntries, tightenDataFolder } from './dataEntries.ts';
import { checkDataFolder } from './doctor/dataFolder.ts';

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
