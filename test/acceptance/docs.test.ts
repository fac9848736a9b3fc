import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endless, isAmong, notRun, pagesWithShell, type Shell, shells } from '../support/shellExamples.ts';
import { build, command, killAll, runShell, type StartedService, spawnShell, startService } from './startedService.ts';

// All pages share a service, on a port and a folder of its own. The examples run as they are printed, after the `export`
// lines that the service prints for them. They run in one shell only: test/structure/shellExamples.test.ts holds every
// other shell to the same words and input of each command.

const present = (Object.keys(shells) as Shell[]).filter((shell) => spawnSync(shell, ['--version']).status === 0);
/** The one that examples run in. */
const usual: Shell = 'bash';

/** The examples that run to their end, by page. */
const pages = pagesWithShell().flatMap(({ name, examples }) => {
  const script = examples.filter((text) => !isAmong([...notRun, ...endless], name, text));
  return script.length === 0 ? [] : [[name, script.join('\n')] as const];
});
const followed = pagesWithShell().flatMap(({ name, examples }) =>
  examples.filter((text) => isAmong(endless, name, text)).map((text) => [name, text] as const),
);

let folder: string;
let dataDir: string;
/** At first the one that filled an empty folder with the sample data, then the next one on it. */
let service: StartedService;

beforeAll(async () => {
  build();
  folder = mkdtempSync(join(tmpdir(), 'logmill-docs-'));
  dataDir = join(folder, "a reader's data");
  service = await startService(['--demo'], { dataDir });
  mkdirSync(join(folder, 'bin'));
  const shim = join(folder, 'bin', 'logmill');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  chmodSync(shim, 0o755);
});
afterAll(() => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});

/** The calls that the start printed, each a line for a shell. */
function printedCalls(): readonly string[] {
  return service
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('curl '));
}

/** The lines that it printed for a shell that is to run the examples. */
function printedExports(): readonly string[] {
  const exported = service.stdout().match(/^export .*$/gm) ?? [];
  expect(exported).toHaveLength(2);
  return exported;
}

async function expectRowsFromAll(shell: Shell): Promise<void> {
  const calls = printedCalls();
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
    const endpoints = printedCalls().join('\n');
    for (const name of [
      'logs.all?',
      '6827ba9b-37ca-425d-8cde-4f10a8dd70f3?',
      'functions.invocation-stats?',
      'usage.api-counts?',
      'sql=',
    ]) {
      expect(endpoints).toContain(name);
    }
    await expectRowsFromAll(usual);
  });

  it('prints its administration token, which a file keeps for its user alone', () => {
    const tokenFile = join(dataDir, 'admin-token');
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    expect(service.stdout()).toContain(readFileSync(tokenFile, 'utf8').trim());
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

  it('prints no token at the next start', async () => {
    expect(await service.stop()).toBe(0);
    service = await startService(['--demo'], { dataDir });
    expect(service.stdout()).not.toContain(readFileSync(join(dataDir, 'admin-token'), 'utf8').trim());
  });

  it.each(present)('prints calls and variables that %s reads, also at the next start', async (shell) => {
    await expectRowsFromAll(shell);
    const lines = [...printedExports(), 'echo "$LOGMILL_URL $LOGMILL_DATA_DIR $LOGMILL_TOKEN"'];
    const { stdout } = await runShell(lines.join('\n'), { shell });
    expect(stdout.trim()).toBe(
      `${service.url} ${dataDir} ${readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()}`,
    );
  });
});

it('has examples to run in README and quick start', () => {
  expect(pages.map(([name]) => name)).toEqual(expect.arrayContaining(['README.md', 'docs/quick-start.md']));
});

describe('documentation', () => {
  /** Where a reader works. */
  let work: string;
  beforeAll(() => {
    work = join(folder, 'work');
    mkdirSync(join(work, 'examples', 'container'), { recursive: true });
  });

  /** The line of a shell that runs an example, with its options. */
  function shellLine(example: string) {
    const environment = { PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}` };
    return [[...printedExports(), example].join('\n'), { shell: usual, cwd: work, environment }] as const;
  }

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
    const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
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
