import { mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from './makeFolder.ts';

const newFolder = () => mkdtempSync(join(tmpdir(), 'logmill-folder-'));

it('makes what is missing with its mode, and passes over what is there', () => {
  const folder = newFolder();
  for (let i = 0; i < 2; i++) makeFolder(join(folder, 'a', '..', 'a', 'b', 'c/'), 0o700);
  expect(['a', 'a/b', 'a/b/c'].map((path) => statSync(join(folder, path)).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
});

it('says why there can be none', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
  expect(() => makeFolder(join(folder, 'file'))).toThrow(/EEXIST/);
  expect(() => makeFolder(join(folder, 'file', 'a', 'b'))).toThrow(/ENOTDIR/);
  expect(() => makeFolder(join(folder, 'link', 'a'))).toThrow(/EEXIST/);
});

it.runIf(process.platform === 'linux')('ends where the system makes no folders', () => {
  expect(() => makeFolder('/proc/nowhere/a')).toThrow(/ENOENT/);
});
