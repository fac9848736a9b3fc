import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { writeDefinitionFiles } from './writeDefinitionFiles.ts';

const url = 'http://127.0.0.1:4000';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-definitions-'));
});

it('writes and replaces both files of a definition', () => {
  writeDefinitionFiles(folder, { base: 'a.b', yaml: 'x', sql: 'y', url });
  expect(writeDefinitionFiles(folder, { base: 'a.b', yaml: 'yaml', sql: 'sql', url })).toBe(join(folder, 'a.b.yaml'));
  expect(readdirSync(folder).sort()).toEqual(['a.b.sql', 'a.b.yaml']);
  expect(readFileSync(join(folder, 'a.b.sql'), 'utf8')).toBe('sql');
});

it('names the schema of the service in the first line, and keeps the line of a file that names another', () => {
  const path = writeDefinitionFiles(folder, { base: 'a', yaml: 'name: a\n', sql: '', url });
  const line = '# yaml-language-server: $schema=http://127.0.0.1:4000/schemas/definition.json';
  expect(readFileSync(path, 'utf8')).toBe(`${line}\nname: a\n`);
  const kept = '# yaml-language-server: $schema=../schema.json';
  writeFileSync(path, `${kept}\r\nname: b\n`);
  writeDefinitionFiles(folder, { base: 'a', yaml: 'name: c\n', sql: '', url: 'http://elsewhere' });
  expect(readFileSync(path, 'utf8')).toBe(`${kept}\nname: c\n`);
  // The address can come from the environment, with characters that a URL ignores or must not show.
  writeDefinitionFiles(folder, { base: 'b', yaml: '', sql: '', url: 'http://me:secret@a\nb:4000/logs' });
  expect(readFileSync(join(folder, 'b.yaml'), 'utf8')).toBe(
    '# yaml-language-server: $schema=http://ab:4000/logs/schemas/definition.json\n',
  );
});

it('follows no link', () => {
  symlinkSync(join(folder, 'nowhere'), join(folder, 'a.yaml'));
  expect(() => writeDefinitionFiles(folder, { base: 'a', yaml: 'x', sql: 'y', url })).toThrow(
    `${join(folder, 'a.yaml')} is a symbolic link, not a file.`,
  );
  expect(existsSync(join(folder, 'nowhere'))).toBe(false);
});

it.each(['../a', 'a/b', '/a', '', 'a\\b', 'a\0b'])('refuses %j as a name from a service', (base) => {
  expect(() => writeDefinitionFiles(folder, { base, yaml: 'x', sql: 'y', url })).toThrow(
    'cannot be the name of a file',
  );
  expect(readdirSync(folder)).toEqual([]);
});
