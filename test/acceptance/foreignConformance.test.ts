import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, inject, it } from 'vitest';
import { build } from './startedService.ts';

const root = join(import.meta.dirname, '..', '..');

beforeAll(build);

/** A folder whose program asks one query, and gives it a verdict by its status. */
function foreignFolder(sql: string, verdict: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-foreign-test-'));
  const program = `
    import { writeFileSync } from 'node:fs';
    const option = (name) => process.argv[process.argv.indexOf(name) + 1];
    const answer = await fetch(option('--base') + '/api/endpoints/query/logs.all?project=p', {
      method: 'POST',
      headers: { 'X-API-KEY': option('--token'), 'content-type': 'application/json' },
      body: JSON.stringify({ sql: ${JSON.stringify(sql)} }),
    });
    const verdict = answer.status === 200 ? ${JSON.stringify(verdict)} : 'refused';
    writeFileSync(option('--json'), JSON.stringify([{ name: 'one', verdict }]));`;
  writeFileSync(join(folder, 'run.mjs'), program);
  return folder;
}

function run(...args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const program = join(inject('processesDir'), 'runForeign', 'main.js');
  return spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
}

it.each([
  ['SELECT 1', 'right', 0],
  ['SELECT 1 FROM nothing', 'right', 0],
  ['SELECT 1', 'wrong', 1],
  ['SELECT 1', 'accepted', 1],
])('asks a folder its cases: %s is %s, exit code %i', (sql, verdict, code) => {
  const { status, stdout } = run(foreignFolder(sql, verdict));
  expect(stdout).toContain(`1 cases: 1 ${sql === 'SELECT 1' ? verdict : 'refused'}`);
  expect(status).toBe(code);
});

it('leaves out what a file says of the folder with a reason, where the verdict is the one that it names', () => {
  const folder = foreignFolder('SELECT 1', 'wrong');
  const known = (faults: object): string => {
    const file = join(folder, 'known.json');
    writeFileSync(file, JSON.stringify(faults));
    return file;
  };
  const fault = { verdict: 'wrong', reason: 'a misprint' };
  expect(run(folder, '--known', known({ one: fault }))).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('1 cases: 1 known'),
  });
  expect(run(folder, '--known', known({ one: { ...fault, verdict: 'accepted' } }))).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/known as accepted, but wrong: one.*1 cases: 1 wrong/s),
  });
  expect(run(folder, '--known', known({ one: { verdict: 'wrong' } }))).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('needs a verdict and a reason'),
  });
  expect(run(folder, '--known')).toMatchObject({ status: 1, stderr: expect.stringContaining('--known names a file') });
}, 120_000);

it('says what is missing', () => {
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('Name the folder') });
  expect(run(root)).toMatchObject({ status: 1, stderr: expect.stringContaining('has no run.mjs') });
});
