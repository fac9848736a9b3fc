import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { writeDefinitionFiles } from './writeDefinitionFiles.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-definitions-'));
});

it('writes and replaces both files of a definition', () => {
  writeDefinitionFiles(folder, { base: 'a.b', yaml: 'x', sql: 'y' });
  expect(writeDefinitionFiles(folder, { base: 'a.b', yaml: 'yaml', sql: 'sql' })).toBe(join(folder, 'a.b.yaml'));
  expect(readdirSync(folder).sort()).toEqual(['a.b.sql', 'a.b.yaml']);
  expect(readFileSync(join(folder, 'a.b.sql'), 'utf8')).toBe('sql');
});

it('follows no link', () => {
  symlinkSync(join(folder, 'nowhere'), join(folder, 'a.yaml'));
  expect(() => writeDefinitionFiles(folder, { base: 'a', yaml: 'x', sql: 'y' })).toThrow(
    `${join(folder, 'a.yaml')} is a symbolic link, not a file.`,
  );
  expect(existsSync(join(folder, 'nowhere'))).toBe(false);
});

it.each(['../a', 'a/b', '/a', '', 'a\\b', 'a\0b'])('refuses %j as a name from a service', (base) => {
  expect(() => writeDefinitionFiles(folder, { base, yaml: 'x', sql: 'y' })).toThrow('cannot be the name of a file');
  expect(readdirSync(folder)).toEqual([]);
});
