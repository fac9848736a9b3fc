import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endless, isAmong, notRun, pagesWithShell, type Shell, shells } from '../support/shellExamples.ts';
import {
  build,
  command,
  killAll,
  newDataDir,
  runShell,
  type StartedService,
  spawnShell,
  startService,
} from './startedService.ts';

// All pages share a service per shell, on a port and a folder of its own, with copies of the same sample data. The examples
// run as they are printed, after the `export` lines that the service prints for them.

const present = (Object.keys(shells) as Shell[]).filter((shell) => spawnSync(shell, ['--version']).status === 0);

/** The examples that run to their end, by page. */
const pages = pagesWithShell().flatMap(({ name, examples }) => {
  const script = examples.filter((text) => !isAmong([...notRun, ...endless], name, text));
  return script.length === 0 ? [] : [[name, script.join('\n')] as const];
});
const followed = pagesWithShell().flatMap(({ name, examples }) =>
  examples.filter((text) => isAmong(endless, name, text)).map((text) => [name, text] as const),
);

let folder: string;
/** The service that filled an empty folder with the sample data. */
let first: StartedService;

beforeAll(async () => {
  build();
  folder = mkdtempSync(join(tmpdir(), 'logmill-docs-'));
  first = await startService(['--demo'], { dataDir: newDataDir() });
  mkdirSync(join(folder, 'bin'));
  const shim = join(folder, 'bin', 'logmill');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  chmodSync(shim, 0o755);
});
afterAll(() => {
  killAll();
  for (const each of [folder, first.dataDir]) rmSync(each, { recursive: true, force: true });
});

/** The calls that a start prints, each a line for a shell. */
function printedCalls({ stdout }: StartedService): readonly string[] {
  return stdout()
    .split('\n')
    .filter((line) => line.startsWith('curl '));
}

async function expectRowsFromAll(service: StartedService, shell: Shell): Promise<void> {
  const calls = printedCalls(service);
  expect(calls).toHaveLength(5);
  for (const call of calls) {
    const { code, stdout, stderr } = await runShell(`${call} -w '\\n%{http_code}'`, { shell });
    expect({ code, stderr }, call).toEqual({ code: 0, stderr: '' });
    const [body = '', status] = stdout.split('\n');
    expect(status, `${call}\n${body}`).toBe('200');
    const answer = JSON.parse(body);
    expect(answer.result.length, call).toBeGreaterThan(0);
    expect(answer.meta.row_count, call).toBe(answer.result.length);
  }
}

describe('serve --demo', () => {
  it('fills an empty folder, and prints calls that all answer with rows', async () => {
    const endpoints = printedCalls(first).join('\n');
    for (const name of [
      'logs.all?',
      '6827ba9b-37ca-425d-8cde-4f10a8dd70f3?',
      'functions.invocation-stats?',
      'usage.api-counts?',
      'sql=',
    ]) {
      expect(endpoints).toContain(name);
    }
    await expectRowsFromAll(first, 'bash');

    const exports = first.stdout().match(/^export .*$/gm) ?? [];
    const { stdout: read } = await runShell(
      `${exports.join('\n')}\necho "$LOGMILL_URL $LOGMILL_DATA_DIR $LOGMILL_TOKEN"`,
    );
    const tokenFile = join(first.dataDir, 'admin-token');
    const token = readFileSync(tokenFile, 'utf8').trim();
    expect(read.trim()).toBe(`${first.url} ${first.dataDir} ${token}`);
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    expect(first.stdout()).toContain(token);
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

it('has examples to run in README and quick start', () => {
  expect(pages.map(([name]) => name)).toEqual(expect.arrayContaining(['README.md', 'docs/quick-start.md']));
});

describe.each(present)('documentation in %s', (shell) => {
  let service: StartedService;
  /** Where a reader works. */
  let work: string;
  beforeAll(async () => {
    const dataDir = join(folder, `the ${shell} reader's data`);
    expect(await first.stop()).toBe(0);
    cpSync(first.dataDir, dataDir, { recursive: true });
    service = await startService(['--demo'], { dataDir });
    work = join(folder, shell);
    mkdirSync(join(work, 'examples', 'container'), { recursive: true });
  });
  afterAll(() => service.stop());

  /** The line of a shell that runs an example, with its options. */
  function shellLine(example: string) {
    const exported = service.stdout().match(/^export .*$/gm) ?? [];
    expect(exported).toHaveLength(2);
    const environment = { PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}` };
    return [[...exported, example].join('\n'), { shell, cwd: work, environment }] as const;
  }

  it('the next start prints calls that answer with rows, and not the token again', async () => {
    await expectRowsFromAll(service, shell);
    expect(service.stdout()).not.toContain(readFileSync(join(service.dataDir, 'admin-token'), 'utf8').trim());
  });

  it.each(pages)('%s: every example runs as it stands', async (_name, examples) => {
    const { code, stdout, stderr } = await runShell(...shellLine(examples));
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout.trim()).not.toBe('');
    // Retention and deletions are examples too. Queries over all projects say so afterwards.
    expect(stderr).not.toMatch(/notice: (?!The query names no project, and retention or deletion differs)/);
  });

  it.each(followed)('%s: an example without an end shows a new event: %s', async (_name, example) => {
    const child = spawnShell(...shellLine(example));
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    const token = readFileSync(join(service.dataDir, 'admin-token'), 'utf8').trim();
    const send = () =>
      fetch(`${service.url}/api/logs?source=edge_logs`, {
        method: 'POST',
        headers: { 'x-api-key': token, 'content-type': 'application/json' },
        body: JSON.stringify({ project: 'orchardlanternquartz', event_message: 'timeout of a new event' }),
      });
    try {
      // Until it follows, an event is only an old one.
      const seen = async () => {
        await send();
        return shown;
      };
      await expect.poll(seen, { interval: 500 }).toContain('timeout of a new event');
      expect(child.exitCode).toBeNull();
    } finally {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    }
  });
});
