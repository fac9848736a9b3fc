import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportFormats } from '../../../src/exports/exportRecord.ts';
import { runCommandLine } from '../../support/commandLine.ts';
import { compileClient } from '../../support/compiledClient.ts';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { defineManyRows } from './manyRows.fixture.ts';

const now = at('2026-05-01T12:00:00Z');
const endless =
  'select count(*) as n from unnest(generate_array(1, 100000)) a cross join unnest(generate_array(1, 100000)) b where mod(a * b, 7) = 3';

const use = `import { type Export, type ExportFormat, LogmillClient, LogmillError } from './client.js';

/** A fetch that waits for nothing, notes what is asked for, and breaks the bodies of data after so many bytes. */
function breaking(breaks: number[], asked: string[]): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    const headers = new Headers(answer.headers);
    if (headers.has('retry-after')) headers.set('retry-after', '0');
    if (!String(input).includes('/data')) return new Response(answer.body, { status: answer.status, headers });
    asked.push(new Headers(init?.headers).get('range') ?? 'whole');
    let left = breaks.shift();
    if (left === undefined) return answer;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        if (left === undefined) return;
        if (left > 0) controller.enqueue(bytes.subarray(0, left));
        left -= bytes.byteLength;
        if (left <= 0) controller.error(new Error('cut'));
      },
    });
    return new Response(answer.body?.pipeThrough(cut) ?? null, answer);
  };
}

const codeOf = (error: unknown) => (error instanceof LogmillError ? error.code : String(error));

/** The bytes of each format, the same over broken connections, and what is left when it is deleted. */
export async function formats(url: string, token: string, names: readonly ExportFormat[]) {
  const asked: string[] = [];
  const breaks: number[] = [];
  const client = new LogmillClient({ url, token, fetch: breaking(breaks, asked) });
  const begun = await client.export('manyRows', {}, { format: 'csv' });
  const progress: string[] = [];
  const { rows } = await begun.wait({ onProgress: ({ state }) => progress.push(state) });
  const again: Export = await client.exportById(begun.id);
  const found: Record<string, { readonly text: string; readonly asked: readonly string[] }> = {};
  for (const format of names) {
    const whole = await (await begun.data({ format })).arrayBuffer();
    breaks.push(10, 5);
    asked.length = 0;
    const broken = await (await again.data({ format })).arrayBuffer();
    const text = String.fromCharCode(...new Uint8Array(whole));
    if (String.fromCharCode(...new Uint8Array(broken)) !== text) throw new Error(format + ' has other bytes');
    found[format] = { text, asked: [...asked] };
  }
  const guarded = await (await again.data({ csvGuard: true, bom: true })).arrayBuffer();
  await begun.delete();
  await again.delete();
  const gone = await client.exportById(begun.id).catch(codeOf);
  return { rows, state: [begun.state, begun.rows, again.state], last: progress.at(-1), found, marked: new Uint8Array(guarded)[0] === 0xef, gone };
}

/** How reading ends if the connection breaks as often as these numbers say. */
export async function broken(url: string, token: string, breaks: number[]) {
  const asked: string[] = [];
  const client = new LogmillClient({ url, token, fetch: breaking(breaks, asked) });
  const begun = await client.export('manyRows', {}, { format: 'csv' });
  await begun.wait();
  const end = await (await begun.data()).text().then(() => 'complete', codeOf);
  await begun.delete();
  return [end, asked];
}

/** The first call gets the first of these answers, and so on. */
export async function answered(answers: (() => Response)[], work: (client: LogmillClient) => Promise<unknown>) {
  let calls = 0;
  const fake: typeof fetch = async (_, init) => {
    calls++;
    init?.signal?.throwIfAborted();
    const answer = answers.shift();
    if (answer === undefined) throw new TypeError('fetch failed');
    return answer();
  };
  const client = new LogmillClient({ url: 'http://service', token: 't', fetch: fake });
  return [await work(client).catch(codeOf), calls];
}

export const begin = (client: LogmillClient) => client.export('manyRows', {}).then(({ state }) => state);
export const read = (client: LogmillClient) => client.exportById('i').then((found) => found.data()).then((data) => data.text());

/** An export that does not end: how waiting for it ends, and its state then. */
export async function waited(url: string, token: string, sql: string, signal: AbortSignal | undefined, end: () => Promise<void>) {
  const client = new LogmillClient({ url, token, fetch: breaking([], []) });
  const begun = await client.export('logsAll', { project: 'own' }, { query: { sql } });
  const incomplete = await begun.data().catch(codeOf);
  await end();
  const waitedFor = await begun.wait({ signal }).catch(codeOf);
  const { state } = await client.exportById(begun.id);
  await begun.delete();
  return [begun.id !== '', incomplete, waitedFor, state];
}

export async function refused(url: string, token: string) {
  const client = new LogmillClient({ url, token });
  return [
    await client.export('manyRows', {}, { query: { sql: 'select nothing from logs' } }).catch(codeOf),
    await client.exportById('../endpoints').catch(codeOf),
  ];
}

export function wrong(client: LogmillClient) {
  // @ts-expect-error there is no such endpoint
  void client.export('manyRowses', {});
  // @ts-expect-error a required parameter is missing
  void client.export('logsAll', {});
  // @ts-expect-error not a format of exports
  void client.export('manyRows', {}, { format: 'markdown' });
}
`;

interface Used {
  formats(
    url: string,
    token: string,
    names: readonly string[],
  ): Promise<
    Readonly<Record<string, unknown>> & {
      readonly found: Readonly<Record<string, { readonly text: string; readonly asked: readonly string[] }>>;
    }
  >;
  broken(url: string, token: string, breaks: number[]): Promise<unknown>;
  answered(answers: (() => Response)[], work: Used['begin']): Promise<unknown>;
  begin(client: unknown): Promise<unknown>;
  read(client: unknown): Promise<unknown>;
  waited(
    url: string,
    token: string,
    sql: string,
    signal: AbortSignal | undefined,
    end: () => Promise<void>,
  ): Promise<unknown>;
  refused(url: string, token: string): Promise<unknown>;
}

describe('exports of the typed client', () => {
  let service: WholeService;
  let folder: string;
  let used: Used;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'logmill-client-'));
    service = await startWholeService({
      nowMicros: now,
      settings: { resultBytesMax: 1024, queryTimeoutMs: 120_000, values: 'records' },
    });
    const texts = Array.from({ length: 30 }, (_, i) => `=row ${i}`);
    await defineManyRows(service, now, texts);
    const file = join(folder, 'client.ts');
    expect(await runCommandLine(service, ['client', '--out', file])).toMatchObject({ code: 0 });
    const out = await compileClient(join(folder, 'use'), { 'client.ts': readFileSync(file, 'utf8'), 'use.ts': use });
    used = (await import(pathToFileURL(join(out, 'use.js')).href)) as Used;
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('have all rows, in every format, also over connections that break', async () => {
    const { found, ...others } = await used.formats(service.url, service.adminToken, exportFormats);
    expect(others).toEqual({
      rows: 30,
      state: ['complete', 30, 'complete'],
      last: 'complete',
      marked: true,
      gone: 'export.unknown',
    });
    for (const format of exportFormats)
      expect(found[format]?.asked, format).toEqual(['whole', 'bytes=10-', 'bytes=15-']);
    const rows = Array.from({ length: 30 }, (_, i) => `=row ${i}`);
    expect(JSON.parse(found.json?.text ?? '').result.map(({ v }: { readonly v: string }) => v)).toEqual(rows);
    expect(found.csv?.text.split('\r\n')).toEqual(['"v"', ...rows.map((row) => `"${row}"`), '']);
  });

  it('give up only if a connection breaks again and again without a byte', async () => {
    const { url, adminToken } = service;
    expect(await used.broken(url, adminToken, [7, 0, 1, 0])).toEqual([
      'complete',
      ['whole', 'bytes=7-', 'bytes=7-', 'bytes=8-', 'bytes=8-'],
    ]);
    expect(await used.broken(url, adminToken, [7, 0, 0])).toEqual(['client.cut', ['whole', 'bytes=7-', 'bytes=7-']]);
  });

  it('never take a part, or other bytes, for the whole', async () => {
    const status = () => Response.json({ id: 'i', state: 'complete', error: null });
    const data = (text: string, headers: Record<string, string>, code = 200) => {
      return () => new Response(text, { status: code, headers });
    };
    const whole = { etag: '"a"', 'content-length': '4' };
    const rest = data('cd', { etag: '"a"', 'content-range': 'bytes 2-3/4' }, 206);
    expect(await used.answered([status, data('ab', whole), rest], used.read)).toEqual(['abcd', 3]);
    // Other data, another part, and a body whose bytes are not those of the data.
    expect(await used.answered([status, data('ab', whole), data('abcd', whole)], used.read)).toEqual(['client.cut', 3]);
    const other = data('d', { etag: '"a"', 'content-range': 'bytes 3-3/4' }, 206);
    expect(await used.answered([status, data('ab', whole), other], used.read)).toEqual(['client.cut', 3]);
    const failing = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.error(new Error('cut'));
          },
        }),
        { headers: { etag: 'W/"a"', 'content-length': '4' } },
      );
    expect(await used.answered([status, failing, rest], used.read)).toEqual(['client.cut', 2]);
    // An export that is gone when its connection breaks.
    const gone = data('{"code":"export.events_removed"}', {}, 409);
    expect(await used.answered([status, data('ab', whole), gone], used.read)).toEqual(['export.events_removed', 3]);
  });

  it('are started once, also if the first attempt is refused', async () => {
    const begun = () => Response.json({ id: 'i', state: 'running', error: null }, { status: 202 });
    const busy = () => new Response('{"code":"query.overloaded"}', { status: 503, headers: { 'retry-after': '0' } });
    expect(await used.answered([busy, begun], used.begin)).toEqual(['running', 2]);
    // It may have begun, although nobody said so.
    expect(await used.answered([], used.begin)).toEqual(['client.unreachable', 1]);
    const rows = () => Response.json({ result: [], meta: {} });
    expect(await used.answered([rows], used.begin)).toEqual(['client.unreadable', 1]);
  });

  it('fail with the code of the export, and go on if nobody waits any more', async () => {
    const { url, adminToken } = service;
    const headers = { 'x-api-key': adminToken };
    const running = async () => {
      const answer = (await (await fetch(`${url}/api/queries`, { headers })).json()) as {
        readonly queries: readonly { readonly id: string }[];
      };
      return answer.queries;
    };
    const kill = async () => {
      await expect.poll(async () => (await running()).length).toBe(1);
      for (const { id } of await running()) await fetch(`${url}/api/queries/${id}`, { method: 'DELETE', headers });
    };
    expect(await used.waited(url, adminToken, endless, undefined, kill)).toEqual([
      true,
      'export.incomplete',
      'query.killed',
      'failed',
    ]);
    const enough = AbortSignal.abort(new Error('enough'));
    expect(await used.waited(url, adminToken, endless, enough, async () => undefined)).toEqual([
      true,
      'export.incomplete',
      'Error: enough',
      'running',
    ]);
  });

  it('are refused with the code of the service', async () => {
    expect(await used.refused(service.url, service.adminToken)).toEqual(['sql.unknown_name', 'export.unknown']);
  });
});
