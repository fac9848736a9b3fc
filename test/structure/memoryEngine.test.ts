import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { importsOf } from '../../scripts/importsOf.ts';

const folder = 'test/engines/memory';
const root = join(import.meta.dirname, '../..');

/** Rooms of the DuckDB engine that keep events in files. */
const keepsFiles = /^src\/engines\/duckdb\/(?:files|log|compact|removal|damage)\//;

it('the engine in memory uses nothing that keeps events in files', () => {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.ts'));
  expect(files).toContain('memoryEngine.ts');
  const imported = files.flatMap((name) =>
    importsOf(readFileSync(join(root, folder, name), 'utf8')).map(({ specifier }) =>
      normalize(join(folder, specifier)),
    ),
  );
  expect(imported.filter((path) => keepsFiles.test(path))).toEqual([]);
  expect(
    imported.filter((path) => path.endsWith('storage.fixture.ts') || path.endsWith('openDuckDbStorage.ts')),
  ).toEqual([]);
});
