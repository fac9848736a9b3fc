import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../../scripts/importsOf.ts';

const root = join(import.meta.dirname, '..', '..');

/** What the process loads with this file: files, and packages, each with the files that import it. */
function loadedWith(entry: string) {
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
  return { files: seen, packages };
}

describe('the main process', () => {
  it('never loads the engine, which has a process of its own (decision 1)', () => {
    expect(loadedWith('src/start/serve.ts').packages.get('@duckdb/node-api')).toBeUndefined();
    // The walk finds it where it belongs.
    expect(loadedWith('src/engines/duckdb/process/engineMain.ts').packages.get('@duckdb/node-api')).toBeDefined();
  });

  it('has the engine replay logs before it loads the service (decision 128)', () => {
    const command = readFileSync(join(root, 'src/cli/commands/serve.ts'), 'utf8');
    expect(command).toMatch(/await claimFolder\([^;]+;[^;]*await import\('..\/..\/start\/serve.ts'\)/);
    const ahead = [...loadedWith('src/start/claimFolder.ts').files, ...loadedWith('src/start/standbyEngine.ts').files];
    expect(ahead.filter((file) => /^src\/(http|invoke|ingest|manage|googlesql|lql|observe)\//.test(file))).toEqual([]);
    expect(loadedWith('src/start/serve.ts').files).toContain('src/http/server.ts');
  });
});
