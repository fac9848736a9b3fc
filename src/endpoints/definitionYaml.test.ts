import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { definitionYaml } from './definitionYaml.ts';
import { loadDefinitionFile } from './loadDefinitionFiles.ts';
import { formatDefinition, parseDefinition } from './parseDefinition.ts';
import { isSameDefinition } from './sameDefinition.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-yaml-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const id = '00000000-0000-4000-8000-000000000001';
/** Texts that YAML reads as something else where they are not quoted, and any other. */
const text = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    'no',
    '007',
    '1e3',
    '0x1F',
    '~',
    '',
    ' a ',
    '- b',
    'a: b',
    '#c',
    "'",
    '"',
    '|',
    '2026-01-01',
  ),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);
const wire = text.filter((value) => value !== '' && value.isWellFormed());

const parameter = fc.record({
  type: fc.constant('string'),
  required: fc.boolean(),
  description: text,
  allowed: fc.uniqueArray(wire, { minLength: 1, maxLength: 4 }),
  allow_empty: fc.boolean(),
});
const definition = fc.record({
  description: text,
  query: text.filter((query) => query.trim() !== ''),
  parameters: fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/), parameter, { maxKeys: 3 }),
  max_rows: fc.integer({ min: 1, max: 10_000 }),
  cache_seconds: fc.integer({ min: 0, max: 86_400 }),
  sandbox: fc.boolean(),
  redact_pii: fc.boolean(),
  values: fc.constantFrom(undefined, 'plain', 'records'),
  timeout_ms: fc.constantFrom(undefined, 1, 600_000),
  strict_parameters: fc.boolean(),
});

it('writes a file that parses to the same definition', () => {
  fc.assert(
    fc.property(definition, fc.boolean(), (fields, primary) => {
      const written = parseDefinition({ id, name: 'a.b', ...fields }, { label: 'a.b' });
      const answered = { ...formatDefinition(written), primary, version: 3, author: null, note: 'x' };
      writeFileSync(join(folder, 'a.yaml'), definitionYaml(answered));
      writeFileSync(join(folder, 'a.sql'), written.query);
      const read = loadDefinitionFile(folder, 'a.yaml');
      expect(read.primary).toBe(primary);
      expect(formatDefinition(read.definition)).toEqual(formatDefinition(written));
      expect(isSameDefinition(read.definition, written)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it('leaves out defaults, and members that files do not have', () => {
  const answered = formatDefinition(parseDefinition({ id, name: 'a.b', query: 'select 1' }, { label: 'a.b' }));
  expect(definitionYaml({ ...answered, primary: true, version: 2 })).toBe(`id: ${id}\nname: a.b\nprimary: true\n`);
});
