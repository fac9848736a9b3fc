import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CliContext } from '../../../src/cli/cliContext.ts';
import { runCommandLine, runOffline } from '../../support/commandLine.ts';
import { type ManagedService, startManagedService } from './managedService.ts';

// The way of an endpoint from a new file over its first rows to a deployment under a scratch name.

let managed: ManagedService;
let root: string;
let folder: string;
beforeAll(async () => {
  managed = await startManagedService();
  root = mkdtempSync(join(tmpdir(), 'logmill-writing-'));
});
afterAll(async () => {
  await managed.close();
  rmSync(root, { recursive: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(root, 'files-'));
});

const endpoints = (...args: readonly string[]) => runCommandLine(managed.service, ['endpoints', ...args]);
const endpointsWith = (given: Partial<CliContext>, ...args: readonly string[]) =>
  runCommandLine(managed.service, ['endpoints', ...args], undefined, given);

function write(file: string, text: string): string {
  const path = join(folder, file);
  writeFileSync(path, text);
  return path;
}

const ids = { rows: '0aa00000-0000-4000-8000-000000000001', dev: '0aa00000-0000-4000-8000-000000000002' } as const;

const definition = (id: string, name: string, query: string) =>
  `id: ${id}\nname: ${name}\nsandbox: true\nparameters:\n  n: { type: array<int64>, required: true }\nquery: |\n  ${query}\n`;
const numbers = 'with numbers as (select n from unnest(@n) as n)';

describe('logmill endpoints run', () => {
  const rows = () =>
    write('rows.yaml', definition(ids.rows, 'written.rows', `${numbers} select n * 2 as twice from numbers`));

  it('shows the rows of a draft as a table or as JSON, and stores nothing', async () => {
    const { code, out, err } = await endpoints('run', rows(), '-p', 'n=1,2');
    expect([code, out]).toEqual([0, expect.stringMatching(/│ twice │\n.*\n│ 2 +│\n│ 4 +│/)]);
    expect(err).toMatch(/^2 rows, /);
    const json = await endpoints('run', rows(), '-p', 'n=3', '-p', 'n=4', '--json');
    expect(JSON.parse(json.out).result).toEqual([{ twice: 6 }, { twice: 8 }]);
    const callers = await endpoints('run', rows(), '-p', 'n=5', '-p', 'sql=select n from numbers');
    expect(callers.out).toMatch(/│ 5 +│/);
    expect((await managed.ask('GET', '?name=written.rows')).body.result).toEqual([]);
  });

  it('names the place of an error in the file of the query', async () => {
    const inline = write('inline.yaml', definition(ids.rows, 'written.rows', `${numbers} select m from numbers`));
    const wrong = await endpoints('run', inline, '-p', 'n=1');
    expect([wrong.code, wrong.out]).toEqual([1, '']);
    expect(wrong.err).toMatch(/^\S+\/inline\.yaml:7:58: .*\bm\b.*\[definition\.invalid\]\n {2}with .*\n {57}\^\n$/);

    write('beside.yaml', `id: ${ids.rows}\nname: written.rows\n`);
    write('beside.sql', 'select\n  1 / 0 as a,\n  nosuch\n');
    const beside = await endpoints('run', join(folder, 'beside.yaml'), '--json');
    expect(beside.out).toBe('');
    expect(JSON.parse(beside.err)).toMatchObject({
      exit_code: 1,
      code: 'definition.invalid',
      errors: [{ in_file: { file: expect.stringMatching(/beside\.sql$/), line: 3, column: 3 } }],
    });
  });

  it('places an error of a caller query in that query, and refuses a folder of several files', async () => {
    const wrong = await endpoints('run', rows(), '-p', 'n=1', '-p', 'sql=select m from numbers');
    expect(wrong.err).toMatch(/^[^/]*\[sql\.[a-z_]+\]\n {2}select m from numbers\n {9}\^\n/);
    const missing = await endpoints('run', rows());
    expect(missing.err).toMatch(/\[parameter\.missing\]/);
    write('other.yaml', definition(ids.dev, 'written.other', 'select @n as n'));
    expect(await endpoints('run', folder)).toMatchObject({ code: 2, err: expect.stringMatching(/several definition/) });
  });
});

describe('logmill endpoints new', () => {
  it('writes a definition over each source, with an ID of its own, that passes the check and runs', async () => {
    const sources = ['edge_logs', 'database_logs', 'auth_logs'];
    for (const source of sources) {
      const name = `new.${source}`;
      expect((await endpoints('new', name, '--to', folder, '--source', source)).code).toBe(0);
      const sandbox = await endpoints(
        'new',
        `${name}.sandbox`,
        '--to',
        folder,
        '--source',
        source,
        '--sandbox',
        '--json',
      );
      expect(JSON.parse(sandbox.out)).toMatchObject({ file: join(folder, `${name}.sandbox.yaml`) });
    }
    const checked = await endpoints('check', folder, '--json');
    const reports: readonly { readonly valid: boolean; readonly columns: unknown }[] = JSON.parse(checked.out);
    expect(reports.map(({ valid }) => valid)).toEqual(Array.from({ length: 6 }, () => true));
    const run = await endpoints('run', join(folder, 'new.edge_logs.yaml'), '-p', 'project=shop');
    expect([run.code, run.out]).toEqual([0, expect.stringMatching(/│ timestamp │ event_message │/)]);
    const texts = readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => readFileSync(join(folder, file), 'utf8'));
    expect(new Set(texts.map((text) => /^id: ([0-9a-f-]{36})$/m.exec(text)?.[1])).size).toBe(6);
  });

  it('asks a person for what it needs, again if an answer is wrong', async () => {
    const stdin = Readable.from(['Not A Name\nasked.by\n\nedge_log\nedge_logs\nperhaps\nyes\n']);
    const { code, err } = await endpointsWith({ stdin, canAsk: true }, 'new', '--to', folder);
    expect(code).toBe(0);
    expect(err).toMatch(/The name Not A Name must be lower-case/);
    expect(err).toMatch(/Did you mean edge_logs\?[\s\S]*Answer yes or no\./);
    expect(readFileSync(join(folder, 'asked.by.yaml'), 'utf8')).toMatch(/^sandbox: true$/m);
    const ended = await endpointsWith({ stdin: Readable.from(['asked.no\n']), canAsk: true }, 'new', '--to', folder);
    expect(ended).toMatchObject({ code: 2, err: expect.stringMatching(/The input ended/) });
    expect(existsSync(join(folder, 'asked.no.yaml'))).toBe(false);
  });

  it('needs no service for a built-in source, and never overwrites a file', async () => {
    const offline = (...args: readonly string[]) => runOffline(['endpoints', 'new', ...args, '--to', folder], 0);
    expect((await offline('off.line')).code).toBe(0);
    const before = readFileSync(join(folder, 'off.line.yaml'), 'utf8');
    expect(await offline('off.line')).toMatchObject({ code: 1, err: expect.stringMatching(/already exist; nothing/) });
    expect(readFileSync(join(folder, 'off.line.yaml'), 'utf8')).toBe(before);
    expect(await offline()).toMatchObject({ code: 2, err: expect.stringMatching(/name of the endpoint is missing/) });
    expect(await offline('Off')).toMatchObject({ code: 2, err: expect.stringMatching(/^The name Off must be/) });
    expect(await offline('../off')).toMatchObject({ code: 2 });
    const unknown = await offline('off.other', '--source', 'app_logs');
    expect(unknown).toMatchObject({ code: 2, err: expect.stringMatching(/no built-in source app_logs[\s\S]*--token/) });
  });
});

describe('logmill endpoints dev', () => {
  const valid = definition(ids.dev, 'written.dev', `${numbers} select n as one from numbers`);
  const tests = (expected: string) => `tests:\n  - name: gives one\n    call: { n: [1] }\n    result: [${expected}]\n`;
  /** Runs the command with one save after another, each once the one before is dealt with. */
  const dev = (saves: readonly (() => unknown)[], ...args: readonly string[]) =>
    endpointsWith(
      {
        changesOf: async function* () {
          yield;
          for (const save of saves) yield save();
        },
      },
      'dev',
      folder,
      ...args,
    );
  const deployed = async (name: string) => (await managed.ask('GET', `?name=${name}`)).body.result;

  it('deploys under a scratch name on each save what compiles and passes its tests', async () => {
    write('dev.yaml', valid);
    const { code, out, err } = await dev([
      () => write('dev.yaml', valid.replace('n as one', 'm as one')),
      () => {
        write('dev.yaml', valid.replace('n as one', 'n as one, 7 as seven'));
        write('dev.test.yaml', tests('{ one: 1, seven: 8 }'));
      },
      () => write('dev.test.yaml', tests('{ one: 1, seven: 7 }')),
      // Nothing changed.
      () => undefined,
    ]);
    expect(code).toBe(0);
    const steps = out
      .split('\n')
      .filter((line) => /^(ok {5}|error {2}|created|changed|unchanged|\d+ passed)/.test(line));
    expect(steps).toEqual([
      expect.stringMatching(/^ok .*dev\.yaml: written\.dev \(one INT64\)$/),
      'created dev.written.dev, version 1',
      expect.stringMatching(/^error {2}.*dev\.yaml: /),
      expect.stringMatching(/^ok .*\(one INT64, seven INT64\)$/),
      expect.stringMatching(/^0 passed, 1 failed/),
      expect.stringMatching(/^ok /),
      expect.stringMatching(/^1 passed, 0 failed/),
      'changed dev.written.dev, version 2',
    ]);
    expect(out).toMatch(/dev\.yaml:7:\d+\n/);
    expect(err).toMatch(/Watching .*[\s\S]*is not deployed, because its tests do not pass/);
    expect(await deployed('written.dev')).toEqual([]);
    expect(await deployed('dev.written.dev')).toMatchObject([{ version: 2, note: 'logmill endpoints dev' }]);
  });

  it('prints a line of JSON for each file, and keeps scratch names of others apart', async () => {
    write('dev.yaml', valid);
    const { out } = await dev([() => rmSync(join(folder, 'dev.yaml'))], '--json', '--no-test', '--as', 'dev.anna');
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ valid: true, deployed: { name: 'dev.anna.written.dev', outcome: 'created' } }]);
    expect(await deployed('dev.anna.written.dev')).toHaveLength(1);
  });

  it('ends at once if the service, the token or the folder is wrong, but not if they become so later', async () => {
    write('dev.yaml', valid);
    expect(await dev([], '--token', 'wrong')).toMatchObject({ code: 1, err: expect.stringMatching(/\[auth\./) });
    expect(await dev([], '--url', 'http://127.0.0.1:1')).toMatchObject({ code: 1 });
    expect((await endpoints('dev', join(folder, 'dev.yaml'))).code).toBe(2);
    const gone = await dev([() => rmSync(folder, { recursive: true })]);
    expect(gone).toMatchObject({ code: 2, err: expect.stringMatching(/cannot be read/) });
  });
});

describe('the JSON Schema of definition files', () => {
  it('is what files of new and export name in their first line, and accepts them', async () => {
    await endpoints('new', 'schema.new', '--to', folder);
    await endpoints('export', 'logs.all', 'usage.api-counts', '--to', folder);
    const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
    expect(files).toHaveLength(3);
    for (const file of files) {
      const text = readFileSync(join(folder, file), 'utf8');
      const [, url = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
      expect(url).toBe(`${managed.service.url}/schemas/definition.json`);
      const response = await fetch(url);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'application/schema+json; charset=utf-8',
      ]);
      const isValid = new Ajv2020({ strict: false }).compile(JSON.parse(await response.text()));
      const fields: unknown = parse(text);
      expect([isValid(fields), isValid.errors]).toEqual([true, null]);
      expect(isValid({ ...Object(fields), colour: 'red' })).toBe(false);
    }
    const tests = await fetch(`${managed.service.url}/schemas/test.json`);
    expect(JSON.parse(await tests.text())).toMatchObject({ title: 'Tests of a Logmill endpoint' });
  });
});
