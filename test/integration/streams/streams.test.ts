import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { patience } from '../../support/patience.ts';
import { rawRequest } from '../../support/rawRequest.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
const numbers = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a2b01';
const logs = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a2b02';
const whole = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a2b03';
const limited = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a2b04';
const changed = 'd7b34a9e-6d3c-4f0a-9d30-1c6f1c9a2b05';

const eventsOf = (project: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `${project}-${n}`,
    timestamp: new Date((now - 3_600_000_000 + n * 1000) / 1000).toISOString(),
    event_message: `${project} ${n} user${n}@${project}.example.com`,
    project,
  }));

interface Record {
  readonly status: string;
  readonly rows: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly meta?: {
    readonly row_count: number;
    readonly truncated: boolean;
    readonly truncated_by?: string;
    readonly redaction: { readonly applied: boolean; readonly counts: Readonly<globalThis.Record<string, number>> };
    readonly notices: readonly { readonly code: string }[];
  };
}

describe('streams of a service', () => {
  let service: WholeService;
  let token: string;
  beforeAll(async () => {
    // With one thread, rows are computed in order, so that a late one fails late.
    service = await startWholeService({ nowMicros: now, settings: { shutdownMs: 300, engineThreads: 1 } });
    const rows =
      'with numbers as (select a * 1000 + b as n from unnest(generate_array(0, 219)) as a, unnest(generate_array(0, 999)) as b)';
    const ofNumbers = {
      query: `${rows} select n, cast(if(n = @fail, 'x', '1') as int64) as one, repeat('x', @width) as text from numbers where n < @count`,
      parameters: {
        count: { type: 'int64', required: true },
        fail: { type: 'int64', default: '-1' },
        width: { type: 'int64', default: '1' },
      },
      max_rows: 10,
      stream: true,
    };
    await service.define({ id: numbers, name: 'streams.numbers', ...ofNumbers });
    // More than a frame.
    await service.define({ id: limited, name: 'streams.limited', ...ofNumbers, stream_max_rows: 20_000 });
    await service.define({ id: changed, name: 'streams.changed', ...ofNumbers });
    const table = 'with logs as (select t.id, t.timestamp, t.event_message, t.project from sources.pooler_logs as t)';
    await service.define({
      id: logs,
      name: 'streams.logs',
      query: `${table} select id, event_message from logs order by id`,
      sandbox: true,
      max_rows: 10,
      stream: true,
    });
    await service.define({ id: whole, name: 'streams.none', query: 'select 1 as n', max_rows: 10 });
    await service.send('pooler_logs', eventsOf('alder', 30));
    await service.send('pooler_logs', eventsOf('birch', 30));
    token = await service.makeToken(['query', 'query:stream']);
  });
  afterAll(async () => await service.close());

  const open = async (
    id: string,
    parameters: Readonly<globalThis.Record<string, string>>,
    { by = token, headers = {}, ...init }: RequestInit & { by?: string; headers?: object } = {},
  ) =>
    await fetch(`${service.url}/api/endpoints/query/${id}?${new URLSearchParams({ stream: 'true', ...parameters })}`, {
      ...init,
      headers: { 'x-api-key': by, 'accept-encoding': 'identity', ...headers },
    });
  const ndjson = async (...given: Parameters<typeof open>) => {
    const response = await open(...given);
    const lines = (await response.text()).trimEnd().split('\n');
    const last = JSON.parse(lines.pop() ?? '') as { readonly '@logmill': Record };
    return { response, rows: lines.map((line) => JSON.parse(line)), last: last['@logmill'] };
  };
  const refusal = async (...given: Parameters<typeof open>) => {
    const response = await open(...given);
    return { status: response.status, code: ((await response.json()) as { readonly code: string }).code };
  };
  const running = async () => {
    const response = await fetch(`${service.url}/api/queries`, { headers: { 'x-api-key': service.adminToken } });
    return ((await response.json()) as { readonly queries: readonly unknown[] }).queries.length;
  };
  const soon = () => ({ timeout: 10_000 * patience(), interval: 20 });

  it('have more rows than an answer, and end with what says that they are complete', async () => {
    const { response, rows, last } = await ndjson(numbers, { count: '30000' });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'cache-control': 'private, no-store, no-transform',
      'x-accel-buffering': 'no',
      'content-disposition': 'attachment; filename="streams.numbers-20260501T1200Z.ndjson"',
    });
    expect(response.headers.has('etag')).toBe(false);
    expect(response.headers.has('content-length')).toBe(false);
    expect(rows.map(({ n }) => n).sort((a, b) => a - b)).toEqual(Array.from({ length: 30_000 }, (_, n) => n));
    expect(last).toMatchObject({ status: 'complete', rows: 30_000, meta: { row_count: 30_000, truncated: false } });
  });

  it('have the rows of the JSON answer in every format, with gzip too', async () => {
    const sql = 'select id, event_message, timestamp from logs order by id limit 10';
    const { body } = await service.call(logs, { sql }, { headers: { 'x-api-key': token } });
    const formatted = async (format: string, headers = {}) => {
      const response = await open(logs, { sql, format }, { headers });
      return { coding: response.headers.get('content-encoding'), bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const buffered = async (format: string) => {
      const response = await fetch(
        `${service.url}/api/endpoints/query/${logs}?${new URLSearchParams({ sql, format })}`,
        { headers: { 'x-api-key': token } },
      );
      return await response.text();
    };
    const accepting = { headers: { accept: 'application/x-ndjson', 'accept-encoding': 'gzip' } };
    const zipped = await ndjson(logs, { sql }, accepting);
    expect(zipped.response.headers.get('content-encoding')).toBe('gzip');
    expect(zipped.rows).toEqual(body.result);
    for (const format of ['csv', 'tsv']) {
      const { coding, bytes } = await formatted(format);
      expect([coding, bytes.toString()]).toEqual([null, await buffered(format)]);
    }
    const table = tableFromIPC((await formatted('arrow')).bytes);
    expect(Array.from(table.getChild('id') ?? [])).toEqual(body.result.map(({ id }) => id));
    expect(JSON.parse(table.schema.metadata.get('logmill') ?? '')).toMatchObject({ endpoint: { id: logs } });
  });

  it('keep the status of an error before their first row', async () => {
    expect(await refusal(numbers, { count: '10', fail: '3' })).toEqual({ status: 400, code: 'sql.data' });
    expect(await refusal(whole, {})).toEqual({ status: 403, code: 'stream.disabled' });
    const { detail } = (await (await open(whole, {})).json()) as { detail: string };
    expect(detail).toContain('page_size');
    expect(await refusal(numbers, { count: '1', format: 'markdown' })).toEqual({
      status: 422,
      code: 'stream.unsuitable',
    });
    expect(await refusal(logs, { page_size: '5' })).toEqual({ status: 422, code: 'stream.unsuitable' });
    expect(await refusal(logs, {}, { headers: { 'cache-control': 'only-if-cached' } })).toEqual({
      status: 504,
      code: 'cache.only_if_cached',
    });
    const stored = await service.makeToken(['query']);
    expect((await ndjson(logs, {}, { by: stored })).rows).toHaveLength(60);
    expect(await refusal(logs, { sql: 'select 1 as n from logs' }, { by: stored })).toEqual({
      status: 403,
      code: 'auth.scope',
    });
  });

  it('that fail later are told from complete ones: by the last record, or by a broken connection', async () => {
    const late = { count: '190000', fail: '180000' };
    const { rows, last } = await ndjson(numbers, late);
    expect(rows.length).toBeGreaterThan(0);
    expect(last).toMatchObject({ status: 'error', rows: rows.length, error: { code: 'engine.failed' } });
    for (const format of ['csv', 'tsv', 'arrow']) {
      const response = await open(numbers, { ...late, format });
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    }
    const script = [
      'import sys, urllib.request',
      'request = urllib.request.Request(sys.argv[1], headers={"x-api-key": sys.argv[2]})',
      'try:',
      '    urllib.request.urlopen(request).read()',
      '    print("complete")',
      'except Exception as error:',
      '    print(type(error).__name__)',
    ].join('\n');
    const url = `${service.url}/api/endpoints/query/${numbers}?${new URLSearchParams({ stream: 'true', format: 'csv', ...late })}`;
    const python = await promisify(execFile)('python3', ['-c', script, url, token]);
    expect(python.stdout.trim()).toBe('IncompleteRead');
    const failures = service.observations.filter((each) => each.kind === 'request.completed' && each.status === 200);
    expect(failures.filter((each) => 'errorCode' in each && each.errorCode === 'engine.failed')).toHaveLength(5);
  });

  it('are broken off at the limit of the definition, and of the token', async () => {
    const { last } = await ndjson(limited, { count: '21000' });
    expect(last).toMatchObject({ status: 'error', rows: 20_000, error: { code: 'stream.limit' } });
    await expect((await open(limited, { count: '21000', format: 'csv' })).text()).rejects.toThrow('terminated');
    const response = await fetch(`${service.url}/api/tokens`, {
      method: 'POST',
      headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
      body: JSON.stringify({ scopes: ['query'], restrictions: { max_rows: 5, stream_max_rows: 20 } }),
    });
    const { token: bounded } = (await response.json()) as { readonly token: string };
    expect((await ndjson(numbers, { count: '20' }, { by: bounded })).last).toMatchObject({
      status: 'complete',
      rows: 20,
    });
    expect((await ndjson(numbers, { count: '21' }, { by: bounded })).last).toMatchObject({ status: 'error', rows: 20 });
  });

  it('show a token of one project only its rows, in stored and caller queries', async () => {
    const birch = await service.makeToken(['query', 'query:stream'], ['birch']);
    const expected = eventsOf('birch', 30).map(({ id }) => id);
    const sql = 'select id, project from logs';
    expect((await ndjson(logs, {}, { by: birch })).rows.map(({ id }) => id).sort()).toEqual(expected.toSorted());
    const own = await ndjson(logs, { sql }, { by: birch });
    expect(own.rows.map(({ id }) => id).sort()).toEqual(expected.toSorted());
    expect(new Set(own.rows.map(({ project }) => project))).toEqual(new Set(['birch']));
    const lql = await ndjson(logs, { lql: 's:id f:logs' }, { by: birch });
    expect(JSON.stringify(lql.rows)).not.toContain('alder');
  });

  it('are redacted, and refused if redaction must come before the query', async () => {
    const headers = { 'svc-endpoint-redact-pii': 'true' };
    const { rows, last } = await ndjson(logs, {}, { headers });
    expect(rows).toHaveLength(60);
    expect(JSON.stringify(rows)).not.toContain('example.com');
    expect(last.meta?.redaction).toEqual({ applied: true, counts: { email: 60 } });
    const csv = await (await open(logs, { format: 'csv' }, { headers })).text();
    expect(csv.split('[REDACTED:email]')).toHaveLength(61);
    expect(csv).not.toContain('example.com');
    const sql = 'select event_message from logs';
    expect(await refusal(logs, { sql }, { headers })).toEqual({ status: 422, code: 'stream.unsuitable' });
    const redacted = await service.makeToken(['query'], undefined, true);
    expect(JSON.stringify((await ndjson(logs, {}, { by: redacted })).rows)).not.toContain('example.com');
  });

  it('over HTTP/1.0 are NDJSON, and a HEAD runs nothing', async () => {
    const head = (method: string, version: string, query: string) => [
      `${method} /api/endpoints/query/${numbers}?stream=true&${query} HTTP/${version}`,
      'Host: x',
      `X-API-KEY: ${token}`,
    ];
    const old = await rawRequest(service.url, head('GET', '1.0', 'count=5&format=csv'), Buffer.alloc(0));
    expect([old.status, JSON.parse(old.body.toString()).code]).toEqual([505, 'stream.http_version']);
    const before = service.observations.length;
    const response = await open(numbers, { count: '5', format: 'csv' }, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    // Nobody knows how many bytes a GET has.
    expect(response.headers.get('content-length')).toBe(null);
    expect(response.headers.get('cache-control')).toBe('private, no-store, no-transform');
    expect(service.observations.slice(before).filter(({ kind }) => kind === 'query.ended')).toEqual([]);
  });

  it('have one place for each token; a reader that leaves frees it, ends the query, and is counted', async () => {
    const controller = new AbortController();
    const stalled = await open(numbers, { count: '50000', width: '1000' }, { signal: controller.signal });
    expect(stalled.status).toBe(200);
    expect(await running()).toBe(1);
    expect(await refusal(numbers, { count: '1' })).toEqual({ status: 503, code: 'stream.busy' });
    // An answer needs no place of a stream.
    expect((await service.call(numbers, { count: '1' })).status).toBe(200);
    const before = service.observations.length;
    controller.abort();
    await expect.poll(running, soon()).toBe(0);
    expect(service.observations.filter(({ kind }) => kind === 'engine.killed')).toEqual([]);
    const since = () => service.observations.slice(before);
    await expect.poll(() => since().filter(({ kind }) => kind === 'query.ended').length, soon()).toBe(1);
    expect(since().find(({ kind }) => kind === 'query.ended')).toMatchObject({ outcome: 'query.cancelled' });
    const [completed] = since().filter((each) => each.kind === 'request.completed' && each.route === 'endpoints.query');
    expect(completed).toMatchObject({ status: 499, errorCode: 'query.cancelled' });
    expect(completed?.kind === 'request.completed' && (completed.call?.rowCount ?? 0)).toBeGreaterThan(0);
    expect(completed?.kind === 'request.completed' && (completed.call?.bytes ?? 0)).toBeGreaterThan(100_000);
    expect((await ndjson(numbers, { count: '1' })).last.status).toBe('complete');
  });

  it('end with an error if their endpoint begins to redact', async () => {
    // More than is sent before the next look at the endpoint.
    const response = await open(changed, { count: '220000', width: '2000' });
    expect(response.status).toBe(200);
    const patched = await fetch(`${service.url}/api/endpoints/${changed}`, {
      method: 'PATCH',
      headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
      body: JSON.stringify({ redact_pii: true }),
    });
    expect(patched.status).toBe(200);
    let end = '';
    let bytes = 0;
    let isBroken = false;
    const decoder = new TextDecoder();
    try {
      for await (const part of response.body ?? []) {
        bytes += part.length;
        end = (end + decoder.decode(part, { stream: true })).slice(-10_000);
      }
    } catch {
      // In the middle of a frame, nothing more may be sent: only a broken connection can tell.
      isBroken = true;
    }
    expect(bytes).toBeLessThan(220_000 * 2000);
    if (!isBroken) {
      const last = JSON.parse(end.trimEnd().split('\n').at(-1) ?? '') as { readonly '@logmill': Record };
      expect(last['@logmill']).toMatchObject({ status: 'error', error: { code: 'stream.changed' } });
      expect(last['@logmill'].rows).toBeLessThan(220_000);
    }
    // The engine may take two seconds to stop, and keeps the place meanwhile.
    await expect.poll(running, soon()).toBe(0);
    const metrics = await fetch(`${service.url}/metrics`, { headers: { 'x-api-key': service.adminToken } });
    expect(await metrics.text()).toContain(
      'logmill_queries_total{endpoint="streams.changed",outcome="stream.changed"} 1',
    );
  });

  it('end with an error if the service stops', async () => {
    const response = await open(numbers, { count: '50000', width: '1000' });
    expect(response.status).toBe(200);
    const closing = service.close();
    const text = await response.text();
    const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as { readonly '@logmill': Record };
    expect(last['@logmill'], text.slice(0, 300)).toMatchObject({
      status: 'error',
      error: { code: 'service.draining' },
    });
    await closing;
  });
});
