import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../../scripts/importsOf.ts';

const root = join(import.meta.dirname, '..', '..');

/** Packages that the process loads with this file, each with the files that import it. */
function packagesOf(entry: string): ReadonlyMap<string, readonly string[]> {
  const packages = new Map<string, string[]>();
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { specifier, isType } of importsOf(readFileSync(join(root, file), 'utf8'))) {
      if (isType) continue;
      if (specifier.startsWith('.')) visit(normalize(join(dirname(file), specifier)));
      else packages.set(specifier, [...(packages.get(specifier) ?? []), file]);
    }
  };
  visit(entry);
  return packages;
}

describe('the main process', () => {
  it('never loads the engine, which has a process of its own (decision 1)', () => {
    expect(packagesOf('src/start/serve.ts').get('@duckdb/node-api')).toBeUndefined();
    // The walk finds it where it belongs.
    expect(packagesOf('src/engines/duckdb/process/engineMain.ts').get('@duckdb/node-api')).toBeDefined();
  });
});
