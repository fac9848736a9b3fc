import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/commandLine.ts';
import { compileClient } from '../../support/compiledClient.ts';
import { at, second } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { defineManyRows } from './manyRows.fixture.ts';

// The generated client: compiled as its users would, and used against a real service.

const now = at('2026-05-01T12:00:00Z');

let service: WholeService;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-client-'));
  service = await startWholeService({ nowMicros: now, settings: { headerPrefix: 'ACME', values: 'records' } });
  await service.define({
    id: '11111111-1111-4111-8111-111111111111',
    name: 'every.type',
    description: 'Ends a comment: */ process.exit(7); /*\nand has two lines.',
    sandbox: true,
    stream: true,
    query: `with t as (select 1 as n) select @whole as whole, [@whole] as list, struct(@whole as n, 1.5 as f) as record,
      @moment as moment, ieee_divide(n, 0) as infinite, json '{"big": 9007199254740993, "f": 0.1234567890123456}' as nested,
      'int64:7' as words, 1 as \`odd name\` from t`,
    parameters: {
      whole: { type: 'int64', required: true },
      moment: { type: 'timestamp' },
    },
  });
  for (const [i, name] of ['constructor', 'query', 'own.query', 'caller'].entries()) {
    await service.define({ id: `22222222-2222-4222-8222-22222222222${i}`, name, query: `select ${i} as n` });
  }
  const texts = Array.from({ length: 9 }, (_, i) => `row ${i}`);
  await defineManyRows(service, now, texts);
  await service.send('edge_logs', [{ id: 'one', timestamp: now - second, project: 'own', event_message: 'ONE-ROW' }]);
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const logmill = (...args: readonly string[]) => runCommandLine(service, args);

const use = `import { LogmillClient, LogmillError } from './client.js';

export { LogmillError };

export async function rows(url: string, token: string) {
  const client = new LogmillClient({ url, token });
  const { result, meta } = await client.logsAll({ project: 'own', iso_timestamp_start: new Date('2026-05-01T00:00:00Z') });
  const text: string | null | undefined = result[0]?.event_message;
  const own = await client.query<'logsAll', { readonly n: number }>(
    'logsAll', { sql: 'select count(*) as n from edge_logs' }, { project: 'own' });
  const stats = await client.functionsInvocationStats({ project: 'own', interval: '1hr', fill: 'zero' });
  const counted: number | undefined = stats.result[0]?.count;
  const average: number | null | undefined = stats.result[0]?.avg_execution_time;
  return { text, rows: meta.row_count, n: own.result[0]?.n, counted, average, redacted: (await client.logsAll({ project: 'own' }, { redactPii: true })).meta.redaction.applied };
}

export async function every(url: string, token: string, whole: number | bigint) {
  const { result } = await new LogmillClient({ url, token, retries: 0 }).everyType({ whole, moment: '2026-01-01' });
  return result[0];
}

/** Calls a service that answers with these statuses first. */
export async function retried(url: string, token: string, statuses: number[], waitSeconds: number, given: { readonly retries?: number; readonly signal?: AbortSignal } = {}) {
  let calls = 0;
  const answer: typeof fetch = async (input, init) => {
    calls++;
    const status = statuses.shift();
    if (status === undefined) return fetch(input, init);
    const body = status === 0 ? 'Gateway Timeout' : '{"code":"query.overloaded"}';
    return new Response(body, { status: status === 0 ? 504 : status, headers: { 'retry-after': String(waitSeconds) } });
  };
  const client = new LogmillClient({ url, token, fetch: answer, retries: given.retries });
  const outcome = await client.logsAll({ project: 'own' }, { signal: given.signal }).then(
    ({ result }) => result.length,
    (error: unknown) => (error instanceof LogmillError ? error.status : String(error)),
  );
  return [calls, outcome];
}

/** The rows of a stream, and how it ended; change alters what the service sent. */
export async function streamed(url: string, token: string, change: (body: string) => string = (body) => body) {
  const changed: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    return new Response(change(await answer.text()), { status: answer.status });
  };
  const client = new LogmillClient({ url, token, fetch: changed, retries: 0 });
  const found: unknown[] = [];
  try {
    for await (const row of client.stream('everyType', { whole: 7 })) found.push(row.whole, row.infinite);
    for await (const row of client.stream('everyType', { whole: 7 }, { query: { sql: 'select n from t' } })) found.push(row);
    return [...found, 'complete'];
  } catch (error) {
    return [...found, error instanceof LogmillError ? error.code : String(error)];
  }
}

export async function pages(url: string, token: string) {
  const client = new LogmillClient({ url, token });
  const rows: (string | null)[] = [];
  for await (const { v } of client.pages('manyRows', {})) rows.push(v);
  const sizes: number[] = [];
  let cursor: string | undefined;
  for await (const { result, meta } of client.pages('manyRows', {}, { pageSize: 2 }).byPage()) {
    sizes.push(result.length);
    if (sizes.length === 3) cursor = meta.next ?? undefined;
  }
  const own: string[] = [];
  const query = { sql: 'select event_message as w from logs order by timestamp desc' };
  for await (const { w } of client.queryPages<'manyRows', { readonly w: string }>('manyRows', query, {}, { pageSize: 3 })) {
    own.push(w);
    if (own.length === 4) break;
  }
  const rest: (string | null)[] = [];
  for await (const { v } of client.pages('manyRows', {}, { pageSize: 3, cursor })) rest.push(v);
  return { rows, sizes, own, rest };
}

/** Follows rows over a connection that breaks after the first of them. */
export async function followed(url: string, token: string, sendRow: (text: string) => Promise<void>) {
  const asked: (string | null)[] = [];
  const breaking: typeof fetch = async (input, init) => {
    asked.push(new Headers(init?.headers).get('last-event-id'));
    const answer = await fetch(input, init);
    if (asked.length > 1) return answer;
    const decoder = new TextDecoder();
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        controller.enqueue(bytes);
        if (decoder.decode(bytes, { stream: true }).includes('"event":"row"')) controller.error(new Error('cut'));
      },
    });
    return new Response(answer.body?.pipeThrough(cut) ?? null, answer);
  };
  const tail = new LogmillClient({ url, token, fetch: breaking }).tail('logsAll', { project: 'live' });
  const sending = (async () => {
    while (tail.lastEventId === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    await sendRow('first');
    while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await sendRow('second');
  })();
  const rows: (string | null)[] = [];
  let afterFirst: string | undefined;
  for await (const { event_message } of tail) {
    rows.push(event_message);
    afterFirst ??= tail.lastEventId;
    if (rows.length === 2) break;
  }
  await sending;
  return { rows, goesOn: asked[0] === null && asked[1] === afterFirst && asked.length === 2 };
}

/** Follows rows of a service that sends these parts. */
export async function told(parts: readonly object[], isTold: boolean, aborts = false) {
  const leaving = new AbortController();
  const answer: typeof fetch = async (_, init) => {
    const text = parts.map((part) => JSON.stringify(part) + '\\n').join('');
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text));
        init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
      },
    });
    return new Response(body);
  };
  const found: unknown[] = [];
  const client = new LogmillClient({ url: 'http://service', token: 't', fetch: answer });
  const onMissing = isTold ? (missing: unknown) => found.push(missing) : undefined;
  try {
    for await (const row of client.tail('everyType', { whole: 1 }, { onMissing, signal: leaving.signal })) {
      found.push(row.infinite);
      if (aborts) leaving.abort(new Error('enough'));
    }
  } catch (error) {
    found.push(error instanceof LogmillError ? error.code : String(error));
  }
  return found;
}

export function wrong(client: LogmillClient) {
  // @ts-expect-error there is no such parameter
  void client.tail('manyRows', { projekt: 'own' });
  // @ts-expect-error there is no such endpoint
  void client.pages('manyRowses', {});
  // @ts-expect-error a required parameter is missing
  void client.logsAll({});
  // @ts-expect-error there is no such parameter
  void client.logsAll({ project: 'own', projekt: 'own' });
  // @ts-expect-error not one of the values
  void client.functionsInvocationStats({ project: 'own', interval: 'weekly' });
  // @ts-expect-error another type
  void client.everyType({ whole: 'seven' });
  // @ts-expect-error there is no such column
  void client.logsAll({ project: 'own' }).then(({ result }) => result[0]?.no_such_column);
  // @ts-expect-error it has no streams
  void client.stream('logsAll', { project: 'own' });
  // @ts-expect-error there is no such endpoint
  void client.query('usageApiCounted', { sql: 'select 1' }, {});
}
`;

interface Used {
  readonly LogmillError: new (...args: never[]) => Error;
  rows(url: string, token: string): Promise<object>;
  every(url: string, token: string, whole: number | bigint): Promise<Readonly<Record<string, unknown>>>;
  streamed(url: string, token: string, change?: (body: string) => string): Promise<readonly unknown[]>;
  followed(url: string, token: string, sendRow: (text: string) => Promise<void>): Promise<object>;
  told(parts: readonly object[], isTold: boolean, aborts?: boolean): Promise<readonly unknown[]>;
  pages(url: string, token: string): Promise<Readonly<Record<'rows' | 'sizes' | 'own' | 'rest', readonly unknown[]>>>;
  retried(
    url: string,
    token: string,
    statuses: number[],
    waitSeconds: number,
    given?: { readonly retries?: number; readonly signal?: AbortSignal },
  ): Promise<readonly [calls: number, outcome: number | string]>;
}

async function usedClient(name: string, ...flags: readonly string[]): Promise<Used> {
  const file = join(folder, `${name}.ts`);
  const { code, err } = await logmill('client', '--lang', 'ts', '--out', file, ...flags);
  expect([code, err]).toEqual([0, expect.stringContaining('endpoints')]);
  // Columns of type INT64 are of another type there.
  const user = flags.includes('bigint') ? use.replace('const counted: number |', 'const counted: bigint |') : use;
  const out = await compileClient(join(folder, name), { 'client.ts': readFileSync(file, 'utf8'), 'use.ts': user });
  return (await import(pathToFileURL(join(out, 'use.js')).href)) as Used;
}

describe('the client with numbers', () => {
  let used: Used;
  beforeAll(async () => {
    used = await usedClient('numbers');
  });

  it('compiles strictly, refuses wrong calls while compiling, and gives rows', async () => {
    expect(await used.rows(service.url, service.adminToken)).toEqual({
      text: 'ONE-ROW',
      rows: 1,
      n: 1,
      counted: 0,
      average: null,
      redacted: true,
    });
  });

  it('yields the rows of streams, and fails where one breaks off', async () => {
    const { url, adminToken } = service;
    expect(await used.streamed(url, adminToken)).toEqual([7, Number.POSITIVE_INFINITY, { n: 1 }, 'complete']);
    const cut = (body: string) => body.slice(0, body.indexOf('{"@logmill"'));
    expect(await used.streamed(url, adminToken, cut)).toEqual([7, Number.POSITIVE_INFINITY, 'client.cut']);
    expect(await used.streamed(url, adminToken, (body) => body.slice(0, -2))).toEqual([
      7,
      Number.POSITIVE_INFINITY,
      'client.cut',
    ]);
    const failed = () =>
      '{"@logmill":{"status":"error","rows":0,"error":{"code":"engine.failed","message":"It failed."}}}\n';
    expect(await used.streamed(url, adminToken, failed)).toEqual(['engine.failed']);
    expect(await used.streamed(url, 'lm_wrong')).toEqual(['auth.invalid']);
  });

  it('gives every type as it promises, whatever profile the service is set to', async () => {
    expect(await used.every(service.url, service.adminToken, 7)).toEqual({
      whole: 7,
      list: [7],
      record: { n: 7, f: 1.5 },
      moment: '2026-01-01T00:00:00.000000Z',
      infinite: Number.POSITIVE_INFINITY,
      nested: { big: 9007199254740993n, f: 0.1234567890123456 },
      words: 'int64:7',
      'odd name': 1,
    });
  });

  it('reads all rows in pages, from any page on, and no further than they are asked for', async () => {
    const rows = Array.from({ length: 9 }, (_, i) => `row ${i}`);
    expect(await used.pages(service.url, service.adminToken)).toEqual({
      rows,
      sizes: [2, 2, 2, 2, 1],
      own: rows.toReversed().slice(0, 4),
      rest: rows.slice(6),
    });
  });

  it('follows new rows, and goes on after the last one when the connection breaks', async () => {
    const sendRow = (text: string) =>
      service.send('edge_logs', [{ timestamp: now - second, project: 'live', event_message: text }]);
    expect(await used.followed(service.url, service.adminToken, sendRow)).toEqual({
      rows: ['first', 'second'],
      goesOn: true,
    });
  });

  it('never leaves out rows silently, and ends with the reason of the service or of the caller', async () => {
    const row = { event: 'row', id: '1', data: { infinite: 'Infinity' } };
    const dropped = { event: 'dropped', id: '2', data: { count: 3, exact: true } };
    const end = { event: 'end', data: { code: 'auth.invalid', detail: 'Revoked.', retryable: false } };
    const infinite = Number.POSITIVE_INFINITY;
    expect(await used.told([row, dropped, end], false)).toEqual([infinite, 'client.rows_missing']);
    expect(await used.told([row, dropped, row, end], true)).toEqual([
      infinite,
      { event: 'dropped', count: 3, exact: true },
      infinite,
      'auth.invalid',
    ]);
    expect(await used.told([row], true, true)).toEqual([infinite, 'Error: enough']);
  });

  it('refuses an INT64 that a number cannot hold', async () => {
    await expect(used.every(service.url, service.adminToken, 2n ** 53n + 1n)).rejects.toMatchObject({
      name: 'LogmillError',
      code: 'client.int64_unsafe',
    });
  });

  it('repeats a call that can succeed later, as often and as late as it may', async () => {
    const call = (
      ...rest: readonly [number[], number, { readonly retries?: number; readonly signal?: AbortSignal }?]
    ) => used.retried(service.url, service.adminToken, ...rest);
    expect(await call([429, 503], 0)).toEqual([3, 1]);
    expect(await call([503, 503, 503], 0)).toEqual([3, 503]);
    expect(await call([503], 0, { retries: 0 })).toEqual([1, 503]);
    // Errors that would be the same again, and waits that are too long.
    expect(await call([400], 0)).toEqual([1, 400]);
    // A query that took too long would again; 0 is the 504 of a proxy.
    expect(await call([504], 0)).toEqual([1, 504]);
    expect(await call([0], 0)).toEqual([2, 1]);
    expect(await call([429], 31)).toEqual([1, 429]);
    const ended = AbortSignal.abort(new Error('enough'));
    expect(await call([429], 20, { signal: ended })).toEqual([1, 'Error: enough']);
  });

  it('throws errors of the service with their code', async () => {
    const refused = used.every(service.url, 'nonsense', 1);
    await expect(refused).rejects.toBeInstanceOf(used.LogmillError);
    await expect(refused).rejects.toMatchObject({ code: 'auth.invalid', status: 401 });
    await expect(used.every('http://127.0.0.1:1', 'x', 1)).rejects.toMatchObject({ code: 'client.unreachable' });
  });
});

it('has bigints in each INT64 column where that is asked for', async () => {
  const used = await usedClient('bigints', '--int64', 'bigint');
  expect(await used.every(service.url, service.adminToken, 2n ** 53n + 1n)).toMatchObject({
    whole: 2n ** 53n + 1n,
    list: [2n ** 53n + 1n],
    record: { n: 2n ** 53n + 1n, f: 1.5 },
    'odd name': 1n,
  });
  expect(await used.every(service.url, service.adminToken, 7)).toMatchObject({ whole: 7n, list: [7n] });
});

it('tells in a sentence what the system refuses of its file', async () => {
  const file = join(folder, 'no', 'such', 'folder.ts');
  const { code, err } = await logmill('client', '--out', file);
  expect([code, err]).toEqual([1, `The system call open failed for ${file}: no such file or directory (ENOENT).\n`]);
});

it('is written to standard output, the same each time, and needs an endpoint', async () => {
  const [first, second] = [await logmill('client'), await logmill('client')];
  expect(first.out).toContain('export class LogmillClient');
  expect(second.out).toBe(first.out);
  // Browsers run it too, also on pages without TLS, where randomUUID is missing.
  const code = first.out.replaceAll(/\/\*[\s\S]*?\*\//g, '');
  expect(code).not.toMatch(/node:|\bprocess\b|\bBuffer\b|\brequire\(|crypto\.randomUUID/);
  const token = await service.makeToken(['ingest']);
  service.clock.advanceMs(1000);
  const none = await logmill('client', '--token', token);
  expect([none.code, none.out]).toEqual([1, '']);
  expect(none.err).toContain('may not call any endpoint');
});
