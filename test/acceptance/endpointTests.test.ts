import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { build, cleanEnvironment, command, runCommand } from './startedService.ts';

beforeAll(build);

let folder: string;
/** Where the command makes its own folders. */
let temporary: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-endpoint-tests-'));
  temporary = join(folder, 'temporary');
  mkdirSync(temporary);
});

const write = (file: string, text: string) => writeFileSync(join(folder, file), text);

async function run(...args: string[]) {
  const result = await runCommand(['test', ...args], { cwd: folder, environment: { TMPDIR: temporary } });
  expect(readdirSync(temporary)).toEqual([]);
  expect(existsSync(join(folder, 'data'))).toBe(false);
  return result;
}

/** Any durations in an output as one. */
const withoutTimes = (text: string) => text.replaceAll(/\d+ ms/g, 'N ms').replaceAll(/\d+\.\d s/g, 'N s');

const definition = `id: 5f0c8a52-91d4-4c1e-8a57-20d1c7e6b9f3
name: example.errors
sandbox: true
parameters:
  project: { type: string, required: true }
query: |
  with errors as (
    select t.id, t.event_message as message, timestamp_diff(current_timestamp(), t.timestamp, second) as age
    from sources.edge_logs as t
    where t.project = @project
  )
  select message, age from errors order by age
`;

const events = `now: 2026-05-01T12:00:00Z
events:
  edge_logs:
    - { timestamp: 2026-05-01T11:59:00Z, project: p, event_message: late by ann@example.com }
    - { timestamp: 2026-05-01T11:58:00Z, project: p, event_message: early }
    - { timestamp: 2026-05-01T11:57:00Z, project: q, event_message: other }
`;

describe('logmill test', () => {
  it('runs the tests of shipped definitions', async () => {
    const { code, stdout, stderr } = await run(join(import.meta.dirname, '..', '..', 'definitions'));
    expect(stderr).toBe('');
    expect(stdout).toMatch(/\n3 passed, 0 failed, \d+\.\d s\n$/);
    expect(code).toBe(0);
  });

  it('passes what is as expected: rows, errors, notices, queries of callers, restricted tokens', async () => {
    write('errors.yaml', definition);
    write(
      'errors.test.yaml',
      `${events}tests:
  - name: shows events with their age, newest first
    call: { project: p }
    notices: []
    result:
      - { message: late by ann@example.com, age: 60 }
      - { age: 120, message: early }
  - name: tells of what it does not know
    call: { project: q, colour: red }
    notices: [parameter.unknown]
    result: [{ message: other, age: 180 }]
  - name: takes queries of callers
    call: { project: p, sql: select count(*) as n from errors }
    result: [{ n: 2 }]
  - name: keeps tokens to their projects
    call: { project: q }
    token: { projects: [p] }
    error: { status: 403, code: auth.project }
  - name: redacts
    call: { project: p, sql: 'select message from errors order by age limit 1' }
    token: { redact: true }
    result: [{ message: 'late by [REDACTED:email]' }]
  - name: needs a project
    error: { status: 400, code: parameter.missing }
  - name: refuses queries where the token has none
    call: { project: p, sql: select 1 as n }
    token: { caller_queries: false }
    error: { code: auth.caller_query }
`,
    );
    const { code, stdout, stderr } = await run();
    expect(stdout).toMatch(/\n7 passed, 0 failed, \d+\.\d s\n$/);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('shows what differs, and fails', async () => {
    write('errors.yaml', definition);
    write(
      'errors.test.yaml',
      `${events}tests:
  - name: passes
    call: { project: q }
    result: [{ message: other, age: 180 }]
  - name: has another age
    call: { project: q }
    notices: [retention.limited]
    result: [{ message: other, age: 181 }]
  - name: is answered
    call: { project: p }
    error: { status: 403, code: auth.scope }
  - name: is refused
    result: []
`,
    );
    const { code, stdout, stderr } = await run('errors.test.yaml');
    expect(withoutTimes(stdout)).toMatch(`errors.test.yaml (N ms)
  ok     passes (N ms)
  failed has another age (N ms)
           --- expected
           +++ got
           @@ -1,2 +1,2 @@
            - message: "other"
           -  age: 181
           +  age: 180
           expected notices: retention.limited
           got notices: none
  failed is answered (N ms)
           expected the error auth.scope (403)
           got 2 rows
  failed is refused (N ms)
           expected rows
           got the error parameter.missing (400)
`);
    expect(stdout).toMatch(/\n1 passed, 3 failed, \d+\.\d s\n$/);
    expect(stderr).toBe('3 tests failed.\n');
    expect(code).toBe(1);

    const json = await run('.', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      passed: 1,
      failed: 3,
      wrong_files: 0,
      files: [
        {
          file: 'errors.test.yaml',
          problem: null,
          tests: [{ name: 'passes', passed: true, failure: null }, { passed: false }, {}, {}],
        },
      ],
    });
  });

  it.each<[string, string, string]>([
    [
      'a field that is not known',
      'tests: [{ name: a, rows: [] }]\n',
      'tests.0.rows (line 1, column 20) is not a field',
    ],
    [
      'a restriction that is not known',
      'tests: [{ name: a, result: [], token: { project: [p] } }]\n',
      'Did you mean projects?',
    ],
    ['neither result nor error', 'tests:\n  - name: a\n', 'tests.0 (line 2, column 5) needs either result or error'],
    ['no time', 'now: soon\ntests: [{ name: a, result: [] }]\n', 'now (line 1, column 1) must be a time'],
    [
      'an unknown stream',
      'events:\n  edge_log: [{ project: p }]\ntests: [{ name: a, result: [] }]\n',
      'events.edge_log (line 2, column 3) was rejected: There is no source "edge_log"',
    ],
    [
      'an event that is refused',
      'events:\n  edge_logs:\n    - { project: p }\n    - { timestamp: soon, project: p }\ntests: [{ name: a, result: [] }]\n',
      'events.edge_logs.1 (line 4, column 7) was rejected: timestamp "soon"',
    ],
    ['an unknown endpoint', 'endpoint: logs.al\ntests: [{ name: a, result: [] }]\n', 'Did you mean logs.all?'],
    [
      'an integer that loses digits',
      'tests: [{ name: a, result: [], call: { n: 9007199254740993 } }]\n',
      'tests.0.call.n (line 1, column 40) is too large for a number',
    ],
    ['an alias without an anchor', 'events: *none\ntests: []\n', 'is not valid YAML: Unresolved alias'],
    ['no YAML', 'tests: [\n', 'is not valid YAML'],
  ])('names the place of what is wrong in a file: %s', async (_what, text, told) => {
    write('errors.yaml', definition);
    write('errors.test.yaml', text);
    const { code, stdout, stderr } = await run();
    expect(stdout).toContain(told);
    expect(stderr).toBe('1 of 1 test file is invalid.\n');
    expect(code).toBe(2);
  });

  it('tells of a definition that does not compile, and runs the other files', async () => {
    write('errors.yaml', definition.replace('t.event_message', 't.event_mesage'));
    write('errors.test.yaml', 'tests: [{ name: a, result: [] }]\n');
    write('logs.all.test.yaml', 'tests: [{ name: finds nothing, call: { project: p }, result: [] }]\n');
    const { code, stdout } = await run();
    expect(stdout).toMatch(/^errors\.test\.yaml\n {2}error {2}errors\.yaml: .*event_mesage/);
    expect(stdout).toContain('  ok     finds nothing');
    expect(code).toBe(2);
  });

  it('says where there is nothing to run', async () => {
    expect(await run()).toMatchObject({ code: 2, stderr: 'No test file (.test.yaml) found in the current folder.\n' });
    expect(await run('away')).toMatchObject({ code: 2, stderr: expect.stringContaining('away cannot be read') });
  });

  it('takes sources from a configuration file', async () => {
    write('logmill.yaml', 'sources: shop_logs\n');
    write('shop.yaml', definition.replace('edge_logs', 'shop_logs'));
    write(
      'shop.test.yaml',
      `${events.replace('edge_logs', 'shop_logs')}tests: [{ name: reads, call: { project: q }, result: [{ message: other, age: 180 }] }]\n`,
    );
    expect(await run('--config', 'logmill.yaml', 'shop.test.yaml')).toMatchObject({ code: 0, stderr: '' });
  });

  it('leaves nothing behind when it is interrupted', async () => {
    for (let index = 0; index < 50; index++) {
      write(
        `logs.all.${index}.test.yaml`,
        'endpoint: logs.all\ntests: [{ name: a, call: { project: p }, result: [] }]\n',
      );
    }
    const child = spawn(process.execPath, [command, 'test'], {
      cwd: folder,
      env: { ...cleanEnvironment(), TMPDIR: temporary },
      stdio: 'ignore',
    });
    const closed = once(child, 'close');
    await expect.poll(() => readdirSync(temporary, { recursive: true }).length > 2).toBe(true);
    child.kill('SIGINT');
    expect(await closed).toEqual([130, null]);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
