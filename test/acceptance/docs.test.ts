import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesWithShell } from '../support/shellExamples.ts';
import { build, command, killAll, runShell, type StartedService, startService } from './startedService.ts';

// One folder with sample data for all tests, because filling it takes long, and one service for all pages. The examples
// run as they are printed, after the `export` lines that the service prints for them.

/** The examples that run, by page. */
const pages = pagesWithShell().flatMap(({ name, examples }) => {
  const script = examples.filter(({ runs }) => runs).map(({ text }) => text);
  return script.length === 0 ? [] : [[name, script.join('\n')] as const];
});

let service: StartedService;
let folder: string;
let dataDir: string;
/** Where a reader works. */
let work: string;

beforeAll(async () => {
  build();
  folder = mkdtempSync(join(tmpdir(), 'logmill-docs-'));
  dataDir = join(folder, "the reader's data");
  service = await startService(['--demo'], { dataDir });
  work = join(folder, 'work');
  for (const needed of [work, join(folder, 'bin')]) mkdirSync(needed);
  const shim = join(folder, 'bin', 'logmill');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  chmodSync(shim, 0o755);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  killAll();
  rmSync(folder, { recursive: true, force: true });
});

/** The calls that a start prints, each a line for a shell. */
function printedCalls({ stdout }: StartedService): readonly string[] {
  return stdout()
    .split('\n')
    .filter((line) => line.startsWith('curl '));
}

async function expectRowsFromAll(started: StartedService): Promise<void> {
  const calls = printedCalls(started);
  expect(calls).toHaveLength(5);
  for (const call of calls) {
    const { code, stdout, stderr } = await runShell(`${call} -w '\\n%{http_code}'`);
    expect({ code, stderr }, call).toEqual({ code: 0, stderr: '' });
    const [body = '', status] = stdout.split('\n');
    expect(status, `${call}\n${body}`).toBe('200');
    const answer = JSON.parse(body);
    expect(answer.result.length, call).toBeGreaterThan(0);
    expect(answer.meta.row_count, call).toBe(answer.result.length);
  }
}

describe('serve --demo', () => {
  it('fills an empty folder, prints calls that all answer with rows, on every start', async () => {
    const endpoints = printedCalls(service).join('\n');
    for (const name of [
      'logs.all?',
      '6827ba9b-37ca-425d-8cde-4f10a8dd70f3?',
      'functions.invocation-stats?',
      'usage.api-counts?',
      'sql=',
    ]) {
      expect(endpoints).toContain(name);
    }
    await expectRowsFromAll(service);

    const tokenFile = join(dataDir, 'admin-token');
    const token = readFileSync(tokenFile, 'utf8').trim();
    const exports = service.stdout().match(/^export .*$/gm) ?? [];
    const { stdout: read } = await runShell(
      `${exports.join('\n')}\necho "$LOGMILL_URL $LOGMILL_DATA_DIR $LOGMILL_TOKEN"`,
    );
    expect(read.trim()).toBe(`${service.url} ${dataDir} ${token}`);

    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    expect(service.stdout()).toContain(token);
    expect(await service.stop()).toBe(0);

    // The pages are read beside this one.
    service = await startService(['--demo'], { dataDir });
    await expectRowsFromAll(service);
    expect(service.stdout()).not.toContain(token);
  });

  it('leaves a folder that it did not fill alone', async () => {
    const own = await startService([]);
    expect(own.stdout()).not.toContain('curl');
    await own.stop();
    const again = await startService(['--demo'], { dataDir: own.dataDir });
    expect(again.stdout()).toContain('already holds other data');
    expect(again.stdout()).not.toContain('curl');
    await again.stop();
  });
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
