import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { FileRefusal } from './fileRefusal.ts';
import { replaceFile } from './replaceFile.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-replace-'));
  path = join(folder, 'token');
});

const modeOf = (of: string) => statSync(of).mode & 0o777;

it('writes a new file, and replaces an old one with the permissions that are asked for', () => {
  replaceFile(path, 'a', 0o600);
  expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['a', 0o600]);
  chmodSync(path, 0o666);
  replaceFile(path, 'b', 0o600);
  expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['b', 0o600]);
  chmodSync(path, 0o640);
  replaceFile(path, 'é'.repeat(100_000));
  expect([readFileSync(path, 'utf8').length, modeOf(path)]).toEqual([100_000, 0o640]);
  expect(readdirSync(folder)).toEqual(['token']);
});

it('shows nothing to those who have the old file open or linked', () => {
  writeFileSync(path, 'old');
  linkSync(path, join(folder, 'other'));
  const opened = openSync(path, 'r');
  replaceFile(path, 'secret', 0o600);
  expect([readFileSync(opened, 'utf8'), readFileSync(join(folder, 'other'), 'utf8')]).toEqual(['old', 'old']);
});

it('refuses a link, also one that leads nowhere, a pipe and a folder', () => {
  const target = join(folder, 'elsewhere');
  symlinkSync(target, path);
  expect(() => replaceFile(path, 'x')).toThrow(new FileRefusal('is a symbolic link, not a file'));
  expect(existsSync(target)).toBe(false);
  writeFileSync(target, 'precious');
  expect(() => replaceFile(path, 'x')).toThrow(FileRefusal);
  expect(readFileSync(target, 'utf8')).toBe('precious');
  rmSync(path);
  execFileSync('mkfifo', [path]);
  expect(() => replaceFile(path, 'x')).toThrow('is a pipe, not a file');
  rmSync(path);
  mkdirSync(path);
  expect(() => replaceFile(path, 'x')).toThrow('is a folder, not a file');
});

it('writes through no link in the place of its unfinished file', () => {
  const target = join(folder, 'elsewhere');
  symlinkSync(target, `${path}.tmp`);
  replaceFile(path, 'x');
  expect([existsSync(target), readFileSync(path, 'utf8')]).toEqual([false, 'x']);
});
