import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  build,
  cleanEnvironment,
  command,
  killAll,
  newDataDir,
  runCommand,
  type StartedService,
  startService,
} from './startedService.ts';

let service: StartedService;
let environment: Record<string, string>;

beforeAll(async () => {
  build();
  service = await startService([]);
  const token = readFileSync(join(service.dataDir, 'admin-token'), 'utf8').trim();
  environment = { LOGMILL_URL: service.url, LOGMILL_TOKEN: token };
});
afterAll(killAll);

const project = 'acceptanceproject';

/** Read once: events made one after another must not share a time. */
const newestMicros = Date.now() * 1000;

function edgeEvent(index: number): string {
  const timestamp = newestMicros - index * 1000;
  const metadata = {
    request: { method: 'GET', path: `/rest/v1/item/${index}`, url: `https://example.com/rest/v1/item/${index}` },
    response: { status_code: 200 },
  };
  return JSON.stringify({ id: `event-${index}`, timestamp, event_message: `GET ${index}`, project, metadata });
}

describe('logmill ingest and query', () => {
  it('stores a file in batches, names what was rejected by its line, and shows the rows', async () => {
    const lines = Array.from({ length: 2500 }, (_, index) => edgeEvent(index));
    lines.splice(1200, 0, '', '{"broken":');
    lines.push('{"project":"acceptanceproject","timestamp":"yesterday"}');
    const file = join(mkdtempSync(join(tmpdir(), 'logmill-cli-')), 'events.ndjson');
    writeFileSync(file, lines.join('\n'));

    const sent = await runCommand(['ingest', file, '--source', 'edge_logs'], { environment });
    expect(sent.stdout).toBe('2500 events stored in edge_logs, 2 rejected\n');
    expect(sent.stderr).toMatch(
      /^line 1202: event\.\w+: .*\nline 2503: event\.timestamp_invalid: .*\n2 of 2502 events were rejected\.\n$/,
    );
    expect(sent.code).toBe(1);

    const json = await runCommand(['query', 'logs.all', '--param', `project=${project}`, '--json'], { environment });
    expect(json.stderr).toBe('');
    const answer = JSON.parse(json.stdout);
    expect(answer.result).toHaveLength(100);
    expect(answer.result[0].event_message).toBe('GET 0');

    const sql = 'select count(*) as events from edge_logs';
    const table = await runCommand(['query', 'logs.all', '-p', `project=${project}`, '--sql', sql], { environment });
    expect(table.stdout).toMatch(/│ events │\n.*\n│ 2500 +│/);
    expect(table.stderr).toMatch(/^1 row, \d+\.\d ms\n/);
    expect(table.code).toBe(0);

    const lql = ['query', 'logs.all', '-p', `project=${project}`, '--lql', 'f:edge_logs c:count(*) c:group_by(t::d)'];
    expect((await runCommand(lql, { environment })).stdout).toMatch(/│ timestamp +│ count │/);
    const explained = await runCommand([...lql, '--explain'], { environment });
    expect(explained).toMatchObject({ code: 0, stderr: '' });
    expect(explained.stdout).toMatch(/^language {2}lql\nreads {5}edge_logs\(timestamp\)\n/);
  });

  it('reads events from standard input', async () => {
    const sent = await runCommand(['ingest', '-', '--source', 'edge_logs'], {
      environment,
      input: `${edgeEvent(9999)}\n`,
    });
    expect(sent).toMatchObject({ code: 0, stdout: '1 event stored in edge_logs, 0 rejected\n', stderr: '' });
  });

  it('stores a file once, compressed or not, however often it is sent; and again if that is wanted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'logmill-cli-'));
    const [plain, compressed] = [join(folder, 'once.ndjson'), join(folder, 'once.gz')];
    const lines = Array.from({ length: 5 }, (_, n) => `{"project":"once","event_message":"line ${n}"}\n`).join('');
    writeFileSync(plain, lines);
    writeFileSync(compressed, gzipSync(lines));
    const stored = async () => {
      const sql = 'select count(*) as n from edge_logs';
      const query = ['query', 'logs.all', '-p', 'project=once', '--sql', sql, '--json'];
      return (JSON.parse((await runCommand(query, { environment })).stdout) as { result: unknown }).result;
    };
    for (const file of [plain, compressed, plain]) {
      const sent = await runCommand(['ingest', file, '--source', 'edge_logs', '--batch', '2'], { environment });
      expect(sent).toEqual({ code: 0, stdout: '5 events stored in edge_logs, 0 rejected\n', stderr: '' });
      await expect.poll(stored).toEqual([{ n: 5 }]);
    }
    await runCommand(['ingest', plain, '--source', 'edge_logs', '--again'], { environment });
    await expect.poll(stored).toEqual([{ n: 10 }]);
  });

  it('sends lines of text, with the time that they begin with', async () => {
    const input = '2026-11-25T10:00:00.5Z started\n  at main\nno time\n';
    const options = ['--format', 'text', '--project', 'text', '--join-indented'];
    const sent = await runCommand(['ingest', '-', '--source', 'edge_logs', ...options], { environment, input });
    expect(sent).toMatchObject({ code: 0, stdout: '2 events stored in edge_logs, 0 rejected\n' });
    const query = ['query', 'logs.all', '-p', 'project=text', '--json'];
    const { result } = JSON.parse((await runCommand(query, { environment })).stdout);
    expect(result[0]).toMatchObject({ event_message: 'no time' });
    expect(result[1]).toMatchObject({
      timestamp: '2026-11-25T10:00:00.500000Z',
      event_message: '2026-11-25T10:00:00.5Z started\n  at main',
    });
    const wrong = await runCommand(['ingest', '-', '--source', 'edge_logs', '--project', 'x'], { environment, input });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--format text') });
  });

  it('says how far it has come where it is interrupted', async () => {
    const child = spawn(process.execPath, [command, 'ingest', '-', '--source', 'edge_logs', '--batch', '2'], {
      env: { ...cleanEnvironment(), ...environment },
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const event = `{"project":"interrupted","event_message":"x"}\n`;
    child.stdin.write(event.repeat(5));
    const stored = async () => {
      const { stdout } = await runCommand(['query', 'logs.all', '-p', 'project=interrupted', '--json'], {
        environment,
      });
      return (JSON.parse(stdout) as { readonly result: readonly unknown[] }).result.length;
    };
    await expect.poll(stored).toBe(4);
    child.kill('SIGINT');
    expect((await once(child, 'close'))[0]).toBe(130);
    expect(stderr).toMatch(
      /\nInterrupted\. Lines 1 to [24] were sent; send the rest, from line [35]\. The batch in progress may be stored too\.\n$/,
    );
  });

  it('tells errors as sentences, with a caret under the place in a query', async () => {
    const sql = 'select statuscode_ from edge_logs';
    const refused = await runCommand(['query', 'logs.all', '-p', `project=${project}`, '--sql', sql], { environment });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/\[sql\.unknown_name\]\n {2}select statuscode_ from edge_logs\n {9}\^\n/);

    const unread = await runCommand(['query', 'logs.all', '-p', `project=${project}`, '--lql', 'm.x:'], {
      environment,
    });
    expect(unread.stderr).toMatch(/\[lql\.syntax\]\n {2}m\.x:\n {6}\^\n/);

    const unknown = await runCommand(['query', 'logs.al'], { environment });
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.stderr).toContain('Did you mean logs.all?');

    const source = await runCommand(['ingest', '-', '--source', 'edge_log'], { environment, input: edgeEvent(1) });
    expect(source.code).toBe(1);
    expect(source.stderr).toContain('edge_logs');
  });

  it('says what is missing or cannot be reached', async () => {
    expect(await runCommand(['query', 'logs.all'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('LOGMILL_TOKEN'),
    });
    const away = await runCommand(['query', 'logs.all'], {
      environment: { LOGMILL_TOKEN: 't', LOGMILL_URL: 'http://127.0.0.1:1' },
    });
    expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining('logmill serve') });
    expect(away.stderr).toContain('LOGMILL_URL');
    const file = await runCommand(['ingest', '/does/not/exist', '--source', 'edge_logs'], { environment });
    expect(file).toMatchObject({
      code: 2,
      stderr: '/does/not/exist cannot be read: no such file or directory (ENOENT).\n',
    });
    expect((await runCommand(['query', 'logs.all', '-p', 'project'], { environment })).code).toBe(2);
  });
});

describe('logmill tokens', () => {
  const status = async (token: string) =>
    (await fetch(`${service.url}/api/endpoints/query/usage.api-counts`, { headers: { 'x-api-key': token } })).status;

  it('makes, lists and revokes tokens beside the running service', async () => {
    const folder = ['--data-dir', service.dataDir];
    const made = await runCommand([
      'tokens',
      'create',
      '--scope',
      'query',
      '--expires',
      '1h',
      '--description',
      'for a test',
      ...folder,
    ]);
    expect(made.code).toBe(0);
    expect(made.stderr).toContain('it can read the events of every project');
    const token = made.stdout.trim();
    expect(token).toMatch(/^lm_[0-9A-Za-z]{50}$/);
    expect(await status(token)).toBe(400);

    const listed = JSON.parse((await runCommand(['tokens', 'list', '--json', ...folder])).stdout);
    const entry = listed.find((item: { description: string }) => item.description === 'for a test');
    expect(entry).toMatchObject({ scopes: ['query'], state: 'live' });
    expect(JSON.stringify(listed)).not.toContain(token);

    expect((await runCommand(['tokens', 'revoke', 'for a test', ...folder])).stdout).toBe(
      `Revoked token ${entry.id}.\n`,
    );
    // Within a second (contract, section 4), to which the half seconds of the watch for changes are held where time is a test's.
    await expect.poll(() => status(token)).toBe(401);
  });

  it('restricts a token to projects, which its calls then hold to', async () => {
    const folder = ['--data-dir', service.dataDir];
    const create = ['tokens', 'create', '--scope', 'query:endpoint:logs.all', '--description', 'restricted'];
    const made = await runCommand([...create, '--project', 'one', '--project', 'another', ...folder]);
    expect(made).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('restricted to the events of another, one.'),
    });
    expect(made.stderr).not.toContain('every project');
    const restricted = { ...environment, LOGMILL_TOKEN: made.stdout.trim() };
    const own = await runCommand(['query', 'logs.all', '-p', 'project=one'], { environment: restricted });
    expect(own).toMatchObject({ code: 0, stderr: expect.stringMatching(/^0 rows/) });
    const other = await runCommand(['query', 'logs.all', '-p', `project=${project}`], { environment: restricted });
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('it may read another, one') });

    const listed = JSON.parse((await runCommand(['tokens', 'list', '--json', ...folder])).stdout);
    expect(listed.find((item: { description: string }) => item.description === 'restricted')).toMatchObject({
      scopes: ['query:endpoint:d9a2e433-3286-44d9-a3b2-96b88c809d76'],
      restrictions: { projects: ['another', 'one'] },
    });
    expect((await runCommand(['tokens', 'list', ...folder])).stdout).toContain('another, one');
    const none = await runCommand([...create, '--project', '', ...folder]);
    expect(none).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--project is empty') });
  });

  it('keeps a token to what its flags say, tells why a call would be refused, and gives it a new secret', async () => {
    const folder = ['--data-dir', service.dataDir];
    const made = await runCommand([
      ...['tokens', 'create', '--scope', 'query', '--param', 'project=one', '--param', 'interval=hourly'],
      ...['--param', 'interval=daily', '--no-caller-queries', '--strict-parameters', '--rate', '600/60'],
      ...['--concurrency', '2', '--max-rows', '10', '--network', '127.0.0.0/8', '--json', ...folder],
    ]);
    const token = JSON.parse(made.stdout);
    expect(token.restrictions).toEqual({
      parameters: { interval: ['daily', 'hourly'], project: 'one' },
      caller_queries: false,
      strict_parameters: true,
      rate: { requests: 600, seconds: 60 },
      concurrency: 2,
      max_rows: 10,
      networks: ['127.0.0.0/8'],
    });
    expect(made.stderr).toContain('interval one of daily, hourly; project locked to one; no caller queries');
    expect(made.stderr).toContain('it can read the events of every project');

    const explain = (call: string, ...more: string[]) =>
      runCommand(['tokens', 'explain', token.token, '--call', call, ...more, ...folder]);
    const refused = await explain('usage.api-counts?project=two&interval=daily');
    expect(refused).toMatchObject({ code: 1, stderr: 'The call would be refused: 403 parameter.locked.\n' });
    expect(refused.stdout).toMatch(/\nNO {2}parameters +This token is locked to project=one.*\n$/);
    const allowed = await explain('usage.api-counts?interval=daily');
    expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringMatching(/The call would be allowed\.\n$/)]);
    const elsewhere = await explain('usage.api-counts?interval=daily', '--address', '203.0.113.9', '--json');
    expect([elsewhere.code, JSON.parse(elsewhere.stdout)]).toMatchObject([1, { status: 403, code: 'auth.network' }]);

    const rotated = await runCommand(['tokens', 'rotate', token.id, '--overlap', '3600', ...folder]);
    expect(rotated.stderr).toContain('The old secret works until');
    const calls = async (secret: string) =>
      (await fetch(`${service.url}/api/endpoints/query/logs.all`, { headers: { 'x-api-key': secret } })).status;
    // The running service looks for changes twice a second.
    await expect.poll(() => calls(rotated.stdout.trim())).toBe(403);
    expect(await calls(token.token)).toBe(403);
  });

  it('refuses unknown scopes with the nearest, and folders that hold no service', async () => {
    const scope = await runCommand(['tokens', 'create', '--scope', 'qurey', '--data-dir', service.dataDir]);
    expect(scope).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean query?') });
    const folder = await runCommand(['tokens', 'list', '--data-dir', newDataDir()]);
    expect(folder).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not the data folder of a Logmill service'),
    });
  });
});

describe('logmill', () => {
  it('says on a version of Node.js that is too old which one it needs, before it loads anything', async () => {
    const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } });';
    const refused = await runCommand(['--version'], {
      environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(older)}` },
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^Logmill needs Node\.js 20\.19 or newer; this is 18\.20\.8\. .*\n$/);
  });

  it('prints help, its version and the settings', async () => {
    const help = await runCommand(['--help']);
    for (const name of ['serve', 'ingest', 'query', 'tokens', 'config']) expect(help.stdout).toContain(`  ${name}`);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const flag of ['--version', '-v']) expect((await runCommand([flag])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const secret = 'a-secret-of-more-than-thirty-two-characters';
    const printed = await runCommand(['config', 'print', '--port', '4100'], {
      environment: { LOGMILL_ADMIN_TOKEN: secret },
    });
    expect(printed.stdout).toContain('port: 4100 # --port\n');
    expect(printed.stdout).not.toContain(secret);
  });
});
