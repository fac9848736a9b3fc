import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../test/support/commandLine.ts';
import { listenLocally } from '../../../test/support/listenLocally.ts';

const data = Buffer.from(Array.from({ length: 5000 }, (_, n) => n % 256));
const id = '0196a2c4-0000-7000-8000-000000000000';
const status = { id, state: 'running', rows: 1, bytes: 10, truncated_by: null, error: null };
/** What the service answers about the state, one after the other; the last one again and again. */
let states: object[] = [];
/** After how many bytes the connection breaks, for each download. */
let breaks: number[] = [];
/** How many requests are answered with 503 before the next answer. */
let refusals = 0;
let requests: string[] = [];

const server = createServer((request, response) => {
  const { method, url = '', headers } = request;
  requests.push(`${method} ${url} ${headers.prefer ?? ''}${headers.range ?? ''} ${headers['if-range'] ?? ''}`.trim());
  request.resume().on('end', () => {
    if (refusals > 0 && method === 'GET') {
      refusals--;
      const problem = { code: 'service.stopping', status: 503, error: { message: 'Stopping.' } };
      response.writeHead(503, { 'retry-after': '1' }).end(JSON.stringify(problem));
      return;
    }
    if (!url.endsWith('/data')) {
      const answer = url.startsWith('/api/exports/') ? (states.length > 1 ? states.shift() : states[0]) : status;
      response.writeHead(200).end(JSON.stringify(answer));
      return;
    }
    const from = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0);
    const breakAt = breaks.shift();
    const length = { 'content-length': String(data.length - from), etag: '"tag"' };
    response.writeHead(from === 0 ? 200 : 206, length);
    if (breakAt === undefined) response.end(data.subarray(from));
    else response.write(data.subarray(from, breakAt), () => response.destroy());
  });
});
const folder = mkdtempSync(join(tmpdir(), 'export-'));
const file = join(folder, 'rows.parquet');
let url = '';

beforeAll(async () => {
  url = await listenLocally(server);
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  [states, breaks, requests] = [[status, { ...status, state: 'complete', rows: 7 }], [], []];
  refusals = 0;
  rmSync(file, { force: true });
});

const run = (isTerminal = false, flags: readonly string[] = []) =>
  runCommandLine(
    { url, adminToken: 't' },
    ['export', 'logs.all', '-p', 'project=p', '--format', 'parquet', '-o', file, ...flags],
    't',
    {
      isTerminal,
    },
  );

describe('logmill export', () => {
  it('waits for the export, writes its data, and removes it', async () => {
    const { code, out, err } = await run();
    expect({ code, out, err }).toEqual({ code: 0, out: '', err: `7 rows in ${file}\n` });
    expect(readFileSync(file)).toEqual(data);
    const path = `/api/exports/${id}`;
    expect(requests).toEqual([
      'POST /api/endpoints/query/logs.all respond-async',
      `GET ${path}`,
      `GET ${path}`,
      `GET ${path}/data`,
      `DELETE ${path}`,
    ]);
  });

  it('prints what it wrote as JSON on demand', async () => {
    const { code, out, err } = await run(false, ['--json']);
    expect([code, err, JSON.parse(out)]).toEqual([0, '', { file, rows: 7, truncated_by: null }]);
  });

  it('goes on where a broken connection ended, with the same bytes', async () => {
    breaks = [1000, 1000, 3000];
    const { code } = await run();
    expect(code).toBe(0);
    expect(readFileSync(file)).toEqual(data);
    expect(requests.filter((each) => each.includes('bytes=')).at(-1)).toBe(
      `GET /api/exports/${id}/data bytes=3000- "tag"`,
    );
  });

  it('waits for a service that has no room, or restarts', async () => {
    refusals = 3;
    expect([(await run()).code, readFileSync(file)]).toEqual([0, data]);
  });

  it('leaves no part of a file behind if the service stays away', async () => {
    breaks = Array.from({ length: 30 }, () => 1000);
    const { code, err } = await run();
    expect([code, err]).toEqual([1, expect.stringContaining(`Its ID is ${id}.`)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not write the part of a file that another export is writing', async () => {
    writeFileSync(`${file}.part`, 'of another');
    const { code, err } = await run();
    expect([code, err]).toEqual([1, expect.stringContaining('.part cannot be written')]);
    expect(readFileSync(`${file}.part`, 'utf8')).toBe('of another');
    rmSync(`${file}.part`);
  });

  it('shows how far it is on a terminal', async () => {
    const { err } = await run(true);
    expect(err).toContain('running: 1 row, 10 bytes');
    expect(err).toContain('reading 4.9 KiB of 4.9 KiB');
  });

  it('says why an export failed, and writes no file', async () => {
    states = [{ ...status, state: 'failed', error: { code: 'query.killed', detail: 'The operator ended it.' } }];
    const { code, err } = await run();
    expect([code, err]).toEqual([1, expect.stringContaining('The operator ended it. (query.killed)')]);
    expect(existsSync(file)).toBe(false);
  });

  it('does not replace a file', async () => {
    writeFileSync(file, 'kept');
    const { code, err } = await run();
    expect([code, err]).toEqual([2, expect.stringContaining('exists already')]);
    expect([readFileSync(file, 'utf8'), requests]).toEqual(['kept', []]);
  });
});
