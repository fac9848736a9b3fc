import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesWithShell } from '../support/shellExamples.ts';
import { build, command, killAll, runShell, type StartedService, startService } from './startedService.ts';

// One service for all pages, on a port and a folder of its own. The examples run as they are printed, after the `export`
// lines that the service prints for them.

/** The examples that run, by page. */
const pages = pagesWithShell().flatMap(({ name, examples }) => {
  const script = examples.filter(({ runs }) => runs).map(({ text }) => text);
  return script.length === 0 ? [] : [[name, script.join('\n')] as const];
});

let service: StartedService;
let folder: string;
/** Where a reader works. */
let work: string;

beforeAll(async () => {
  build();
  folder = mkdtempSync(join(tmpdir(), 'logmill-docs-'));
  service = await startService(['--demo'], { dataDir: join(folder, "the reader's data") });
  work = join(folder, 'work');
  for (const needed of [work, join(folder, 'bin')]) mkdirSync(needed);
  const shim = join(folder, 'bin', 'logmill');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  chmodSync(shim, 0o755);
});
afterAll(async () => {
  await service.stop();
  killAll();
  rmSync(folder, { recursive: true, force: true });
});

describe('documentation', () => {
  it('has examples to run in README and quick start', () => {
    expect(pages.map(([name]) => name)).toEqual(expect.arrayContaining(['README.md', 'docs/quick-start.md']));
  });

  it.each(pages)('%s: every example runs as it stands', async (_name, examples) => {
    const exported = service.stdout().match(/^export .*$/gm) ?? [];
    expect(exported).toHaveLength(2);
    const { code, stdout, stderr } = await runShell([...exported, examples].join('\n'), {
      cwd: work,
      environment: { PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}` },
    });
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout.trim()).not.toBe('');
    expect(stderr).not.toMatch(/notice:/);
  });
});
