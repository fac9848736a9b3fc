import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, killAll, newDataDir, runShell, type StartedService, startService } from './startedService.ts';

/** The calls that a start prints, each a line for a shell. */
function printedCalls(service: StartedService): readonly string[] {
  return service
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('curl '));
}

async function expectRowsFromAll(service: StartedService): Promise<void> {
  const calls = printedCalls(service);
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

beforeAll(build);
afterAll(killAll);

describe('serve --demo', () => {
  it('fills an empty folder, prints calls that all answer with rows, on every start', async () => {
    const dataDir = newDataDir();
    const first = await startService(['--demo'], { dataDir });
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
    await expectRowsFromAll(first);

    const exports = first.stdout().match(/^export .*$/gm) ?? [];
    const { stdout: read } = await runShell(
      `${exports.join('\n')}\necho "$LOGMILL_URL $LOGMILL_DATA_DIR $LOGMILL_TOKEN"`,
    );
    expect(read.trim()).toBe(`${first.url} ${dataDir} ${readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()}`);

    const tokenFile = join(dataDir, 'admin-token');
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    expect(first.stdout()).toContain(readFileSync(tokenFile, 'utf8').trim());
    expect(await first.stop()).toBe(0);

    const second = await startService(['--demo'], { dataDir });
    await expectRowsFromAll(second);
    expect(second.stdout()).not.toContain(readFileSync(tokenFile, 'utf8').trim());
    expect(await second.stop()).toBe(0);
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
