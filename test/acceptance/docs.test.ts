import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, command, killAll, runShell, type StartedService, startService } from './startedService.ts';

const root = join(import.meta.dirname, '..', '..');

function markdownBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownBelow(path);
    return path.endsWith('.md') ? [path] : [];
  });
}

/** The examples of a page that are marked to run (```sh run), in their order. */
function examplesOf(page: string): readonly string[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```sh run\n([\s\S]*?)^```$/gm)].map(([, example = '']) => example);
}

const pages = [join(root, 'README.md'), ...markdownBelow(join(root, 'docs'))].filter(
  (page) => examplesOf(page).length > 0,
);

let service: StartedService;
/** The folder that a reader works in: the service keeps its data in `data` below it. */
let folder: string;

beforeAll(async () => {
  build();
  folder = mkdtempSync(join(tmpdir(), 'logmill-docs-'));
  service = await startService(['--demo'], { dataDir: join(folder, 'data') });
  mkdirSync(join(folder, 'bin'));
  const shim = join(folder, 'bin', 'logmill');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  chmodSync(shim, 0o755);
});
afterAll(killAll);

describe('documentation', () => {
  it('has examples to run in README and quick start', () => {
    expect(pages.map((page) => relative(root, page))).toEqual(
      expect.arrayContaining(['README.md', 'docs/quick-start.md']),
    );
  });

  it.each(pages.map((page) => [relative(root, page), page]))(
    '%s: every example runs as it stands',
    async (_name, page) => {
      const script = examplesOf(page).join('\n').replaceAll('http://127.0.0.1:4000', service.url);
      const { code, stdout, stderr } = await runShell(script, {
        cwd: folder,
        environment: { PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`, LOGMILL_URL: service.url },
      });
      expect(code, `${stdout}\n${stderr}`).toBe(0);
      expect(stdout.trim()).not.toBe('');
      expect(stderr).not.toMatch(/notice:/);
    },
  );
});
