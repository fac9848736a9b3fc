import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportFormats } from '../../../src/exports/exportRecord.ts';
import { engineUnderTest, onEngine } from '../../support/enginesUnderTest.ts';
import { at } from '../../support/instants.ts';
import { readParquet } from '../../support/readParquet.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
const eventsOf = (project: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    timestamp: new Date((now - 3_600_000_000 + n * 1_000_000) / 1000).toISOString(),
    event_message: `${project} ${n} "quoted" user${n}@${project}.example.com`,
    project,
  }));
const endless =
  'select count(*) as n from unnest(generate_array(1, 100000)) a cross join unnest(generate_array(1, 100000)) b where mod(a * b, 7) = 3';

interface Status {
  readonly id: string;
  readonly state: string;
  readonly rows: number;
  readonly data: string | null;
  readonly truncated_by: string | null;
  readonly notices: readonly { readonly code: string; readonly message: string }[];
  readonly error: { readonly code: string } | null;
}

const endpointId = '00000000-0000-4000-8000-000000000021';
const formats = exportFormats.filter((name) => name !== 'parquet' || engineUnderTest.states.parquet);

let service: WholeService;
let tokens: Readonly<Record<'all' | 'other' | 'alder' | 'birch' | 'redacted' | 'manager', string>>;
beforeAll(async () => {
  // Parts of some rows, which are cut by their bytes.
  const ofParts = engineUnderTest.states.pages ? { resultBytesMax: 1024 } : {};
  service = await startWholeService({
    nowMicros: now,
    settings: { exportRowsMax: 45, queryTimeoutMs: 120_000, ...ofParts },
  });
  await service.define({
    id: endpointId,
    name: 'rows.all',
    query:
      'with logs as (select t.id, t.timestamp, t.event_message, t.project from sources.pooler_logs as t) select event_message as v, project, timestamp from logs order by timestamp',
    parameters: {},
    sandbox: true,
    max_rows: 10,
  });
  await service.define({
    id: '00000000-0000-4000-8000-000000000022',
    name: 'rows.limited',
    query:
      'with logs as (select t.timestamp, t.event_message from sources.pooler_logs as t) select event_message as v, timestamp from logs order by timestamp limit 7',
    parameters: {},
    sandbox: true,
    max_rows: 10,
  });
  for (const project of ['alder', 'birch']) await service.send('pooler_logs', eventsOf(project, 25));
  tokens = {
    all: await service.makeToken(['query']),
    other: await service.makeToken(['query']),
    alder: await service.makeToken(['query'], ['alder']),
    birch: await service.makeToken(['query'], ['birch']),
    redacted: await service.makeToken(['query'], ['alder'], true),
    manager: await service.makeToken(['manage', 'observe']),
  };
  service.clock.advanceMs(1000);
});
afterAll(() => service.close());

async function request(path: string, token: string, { method = 'GET', headers = {}, body = '' } = {}) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { 'x-api-key': token, ...(body === '' ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === '' ? {} : { body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    json: () => JSON.parse(bytes.toString()),
    code: () => JSON.parse(bytes.toString()).code,
  };
}

const ask = (token: string, parameters: object, prefer = 'respond-async', endpoint = 'rows.all') =>
  request(`/api/endpoints/query/${endpoint}`, token, {
    method: 'POST',
    headers: { prefer },
    body: JSON.stringify(parameters),
  });
const askEndless = () => ask(tokens.all, { project: 'alder', sql: endless }, 'respond-async', 'logs.all');
const statusOf = async (id: string, token: string): Promise<Status> =>
  (await request(`/api/exports/${id}`, token)).json();
async function ended(id: string, token: string): Promise<Status> {
  await expect.poll(async () => (await statusOf(id, token)).state).toMatch(/complete|failed/);
  return await statusOf(id, token);
}
async function exported(token: string, parameters: object = {}, endpoint = 'rows.all'): Promise<Status> {
  const { status, headers, json } = await ask(token, parameters, 'respond-async', endpoint);
  expect(status).toBe(202);
  const { id } = json();
  expect(headers.get('location')).toBe(`/api/exports/${id}`);
  expect(headers.get('preference-applied')).toBe('respond-async');
  expect(headers.get('retry-after')).toBe('1');
  return await ended(id, token);
}
const dataOf = (id: string, token: string, query = '', headers = {}) =>
  request(`/api/exports/${id}/data${query}`, token, { headers });
const remove = (id: string, token: string) => request(`/api/exports/${id}`, token, { method: 'DELETE' });

/** The messages in the data of a format, in order. */
async function messagesIn(format: string, bytes: Buffer): Promise<readonly string[]> {
  switch (format) {
    case 'json':
      return JSON.parse(bytes.toString()).result.map(({ v }: { v: string }) => v);
    case 'ndjson':
      return bytes
        .toString()
        .trimEnd()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).v);
    case 'csv':
      return [...bytes.toString().matchAll(/^"((?:[^"]|"")*)","(?:alder|birch)"/gm)].map(([, v = '']) =>
        v.replaceAll('""', '"'),
      );
    case 'tsv':
      return bytes
        .toString()
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t')[0] ?? '');
    case 'arrow':
      return [...(tableFromIPC(bytes).getChild('v') ?? [])].map(String);
    default:
      return (await readParquet(bytes)).rows.map(([v]) => String(v));
  }
}

/** `meta` in the data of a format; null if it has no place for it. */
async function metaIn(format: string, bytes: Buffer): Promise<unknown> {
  switch (format) {
    case 'json':
      return JSON.parse(bytes.toString()).meta;
    case 'ndjson':
      return JSON.parse(bytes.toString().trimEnd().split('\n').at(-1) ?? '')['@logmill'].meta;
    case 'arrow':
      return JSON.parse(tableFromIPC(bytes).schema.metadata.get('logmill') ?? 'null');
    case 'parquet':
      return JSON.parse((await readParquet(bytes)).metadata.get('logmill') ?? 'null');
    default:
      return null;
  }
}

describe(onEngine('an export'), () => {
  it.runIf(engineUnderTest.states.pages)(
    'has the rows of all pages, far more than an answer, the same in every format',
    async () => {
      const { id, state, rows, truncated_by, data } = await exported(tokens.alder, { format: 'csv' });
      expect([state, rows, truncated_by, data]).toEqual(['complete', 25, null, `/api/exports/${id}/data`]);
      const expected = eventsOf('alder', 25).map(({ event_message }) => event_message);
      for (const format of formats) {
        const { status, headers, bytes } = await dataOf(id, tokens.alder, `?format=${format}`);
        expect([status, headers.get('x-row-count'), headers.get('content-length')]).toEqual([
          200,
          '25',
          String(bytes.length),
        ]);
        expect(await messagesIn(format, bytes)).toEqual(expected);
      }
      expect((await dataOf(id, tokens.alder)).headers.get('content-disposition')).toMatch(/rows\.all-.*\.csv"$/);
      await remove(id, tokens.alder);
    },
  );

  it.runIf(engineUnderTest.states.pages)('ends at the row limit of exports, and says so', async () => {
    const { id, rows, truncated_by } = await exported(tokens.all);
    expect([rows, truncated_by]).toEqual([45, 'export_rows']);
    expect((await dataOf(id, tokens.all)).json().meta).toMatchObject({ row_count: 45, truncated_by: 'export_rows' });
    await remove(id, tokens.all);
  });

  it('can be read in ranges that are bytes of one whole, with a strong entity tag', async () => {
    const { id } = await exported(tokens.alder, { format: 'ndjson' });
    const whole = await dataOf(id, tokens.alder);
    const tag = whole.headers.get('etag') ?? '';
    expect([tag, whole.headers.get('accept-ranges')]).toEqual([expect.stringMatching(/^"[\w.-]+"$/), 'bytes']);
    const first = await dataOf(id, tokens.alder, '', { range: 'bytes=0-99' });
    const rest = await dataOf(id, tokens.alder, '', { range: 'bytes=100-', 'if-range': tag });
    expect([first.status, rest.status]).toEqual([206, 206]);
    expect(rest.headers.get('content-range')).toBe(`bytes 100-${whole.bytes.length - 1}/${whole.bytes.length}`);
    expect(Buffer.concat([first.bytes, rest.bytes])).toEqual(whole.bytes);
    const other = await dataOf(id, tokens.alder, '', { range: 'bytes=100-', 'if-range': '"other"' });
    expect([other.status, other.bytes]).toEqual([200, whole.bytes]);
    const beyond = await dataOf(id, tokens.alder, '', { range: `bytes=${whole.bytes.length}-` });
    expect([beyond.status, beyond.code()]).toEqual([416, 'request.range_unsatisfiable']);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${whole.bytes.length}`);
    expect((await dataOf(id, tokens.alder, '', { 'if-none-match': tag })).status).toBe(304);
    const unknown = await dataOf(id, tokens.alder, '?format=xml');
    expect([unknown.status, unknown.code()]).toEqual([406, 'request.not_acceptable']);
    expect((await dataOf(id, tokens.alder, '?bom=true')).code()).toBe('parameter.invalid');
    await remove(id, tokens.alder);
  });

  it('does not exist for other tokens, whatever they may do', async () => {
    const { id } = await exported(tokens.all);
    for (const token of [tokens.other, tokens.alder, service.adminToken]) {
      const answers = [await request(`/api/exports/${id}`, token), await dataOf(id, token), await remove(id, token)];
      expect(answers.map((each) => [each.status, each.code()])).toEqual(answers.map(() => [404, 'export.unknown']));
      expect((await request('/api/exports', token)).json()).toEqual({ exports: [] });
    }
    expect((await request('/api/exports', tokens.all)).json().exports).toMatchObject([{ id, state: 'complete' }]);
    expect((await remove(id, tokens.all)).json()).toEqual({ deleted: id });
    expect((await request(`/api/exports/${id}`, tokens.all)).status).toBe(404);
    expect(readdirSync(join(service.dataDir, 'exports'))).not.toContain(id);
  });

  it('shows no other project and no redacted value, in any format', async () => {
    const [birch, redacted] = [await exported(tokens.birch), await exported(tokens.redacted)];
    for (const format of formats) {
      const own = await messagesIn(format, (await dataOf(birch.id, tokens.birch, `?format=${format}`)).bytes);
      expect(own, format).not.toEqual([]);
      expect(own.filter((message) => !message.startsWith('birch '))).toEqual([]);
      const { bytes } = await dataOf(redacted.id, tokens.redacted, `?format=${format}`);
      const shown = await messagesIn(format, bytes);
      expect(shown, format).not.toEqual([]);
      expect(shown.every((message) => message.startsWith('alder ') && message.includes('[REDACTED:email]'))).toBe(true);
      expect(bytes.toString('latin1')).not.toContain('@alder.example.com');
    }
    await Promise.all([remove(birch.id, tokens.birch), remove(redacted.id, tokens.redacted)]);
  });

  it('does not show rows that are not redacted to a request that asks for redaction', async () => {
    const header = { 'svc-endpoint-redact-pii': 'true' };
    const open = await exported(tokens.alder);
    const refused = await dataOf(open.id, tokens.alder, '', header);
    expect([refused.status, refused.code()]).toEqual([422, 'format.unsuitable']);
    const redacted = await exported(tokens.redacted);
    expect((await dataOf(redacted.id, tokens.redacted, '', header)).status).toBe(200);
    await Promise.all([remove(open.id, tokens.alder), remove(redacted.id, tokens.redacted)]);
  });

  it('is answered with its data if it ends while the call waits', async () => {
    const { status, headers, bytes } = await ask(tokens.alder, { format: 'csv' }, 'respond-async, wait=30');
    expect(status).toBe(200);
    expect(headers.get('preference-applied')).toBe('respond-async, wait=30');
    const path = headers.get('content-location') ?? '';
    expect((await request(path, tokens.alder)).bytes).toEqual(bytes);
    await request(path.replace('/data', ''), tokens.alder, { method: 'DELETE' });
  });

  it('is refused with the error that the call itself has', async () => {
    const unknown = await request('/api/endpoints/query/none', tokens.all, { headers: { prefer: 'respond-async' } });
    expect([unknown.status, unknown.code()]).toEqual([404, 'endpoint.unknown']);
    for (const [parameters, code] of [
      [{ page_size: 5 }, 'parameter.invalid'],
      [{ format: 'prometheus' }, 'format.unsuitable'],
      [{ format: 'markdown' }, 'format.unsuitable'],
      [{ sql: 'select nothing from logs' }, 'sql.unknown_name'],
    ] as const) {
      expect((await ask(tokens.all, parameters)).code()).toBe(code);
    }
    expect((await request('/api/exports', tokens.all)).json()).toEqual({ exports: [] });
  });

  it('says everywhere that the LIMIT of the query leaves out rows', async () => {
    const { id, rows, truncated_by, notices } = await exported(tokens.all, {}, 'rows.limited');
    expect([rows, truncated_by]).toEqual([7, 'query_limit']);
    const message =
      'The stored query has LIMIT 7, so further rows are left out. For more rows, send your own query in sql, without LIMIT or with a larger one.';
    const notice = { code: 'query.limit_reached', message };
    expect(notices).toContainEqual(notice);
    for (const format of formats) {
      const { headers, bytes } = await dataOf(id, tokens.all, `?format=${format}`);
      expect(headers.get('x-truncated'), format).toBe('query_limit');
      expect(JSON.parse(headers.get('x-notices') ?? ''), format).toContainEqual(notice);
      const meta = await metaIn(format, bytes);
      if (meta !== null) expect(meta, format).toMatchObject({ truncated: true, truncated_by: 'query_limit', notices });
    }
    await remove(id, tokens.all);
    const own = await exported(tokens.all, { sql: 'select event_message as v from logs order by timestamp limit 7' });
    expect([own.rows, own.truncated_by]).toEqual([7, null]);
    expect(own.notices.map(({ message: each }) => each)).toContainEqual(
      expect.stringMatching(/^Your query has LIMIT 7, so further rows/),
    );
    await remove(own.id, tokens.all);
  });

  it.runIf(engineUnderTest.states.pages)('goes on after rows whose sort keys no cursor of a caller holds', async () => {
    const sql = 'select event_message as v, project from logs order by repeat(event_message, 100)';
    const { id, state, rows } = await exported(tokens.alder, { sql });
    expect([state, rows]).toEqual(['complete', 25]);
    const shown = await messagesIn('json', (await dataOf(id, tokens.alder)).bytes);
    const expected = eventsOf('alder', 25).map(({ event_message }) => event_message);
    expect(shown).toEqual(expected.toSorted((a, b) => (a.repeat(100) < b.repeat(100) ? -1 : 1)));
    await remove(id, tokens.alder);
  });

  it.runIf(engineUnderTest.states.pages)('names the row and the key that even it cannot go on after', async () => {
    const sql = 'select event_message as v from logs order by project, repeat(event_message, 20000)';
    const { id, error } = await exported(tokens.alder, { sql });
    expect(error).toMatchObject({
      code: 'page.key_too_long',
      detail: expect.stringMatching(
        /^The sort keys of row \d+ take more than .* The longest one is key number 2\. Order by/,
      ),
    });
    await remove(id, tokens.alder);
  });

  it('guards its texts in each format that can, if the call asks for it, and says how many', async () => {
    const sql = "select '=1' as v, project, timestamp from logs order by timestamp limit 3";
    const { id } = await exported(tokens.alder, { sql, format: 'csv', csv_guard: true });
    for (const [query, cells] of [
      ['', 3],
      ['?format=tsv', 3],
      ['?csv_guard=false', 0],
      ['?format=ndjson', 0],
    ] as const) {
      const { headers, bytes } = await dataOf(id, tokens.alder, query);
      expect(bytes.toString().split(`'=1`), query).toHaveLength(cells + 1);
      const codes = JSON.parse(headers.get('x-notices') ?? '[]').map(({ code }: { code: string }) => code);
      expect(codes.includes('format.cells_guarded'), query).toBe(cells > 0);
    }
    await remove(id, tokens.alder);
  });

  it('has the rows of one answer if the query has no pages, and says so', async () => {
    const { id, rows } = await exported(tokens.alder, {
      sql: 'select project, avg(length(event_message)) as n from logs group by project',
    });
    expect(rows).toBe(1);
    const { meta } = (await dataOf(id, tokens.alder)).json();
    const told = meta.notices.find(({ code }: { code: string }) => code === 'export.one_answer')?.message;
    expect(told).toMatch(/^The export has the rows of one answer, at most 10, because /);
    // Nobody who exports has asked for pages.
    expect(told).not.toContain('page_size');
    await remove(id, tokens.alder);
  });

  it('is a running query, and fails when that is killed', async () => {
    const { status, json } = await askEndless();
    expect([status, json()]).toMatchObject([202, { state: 'running' }]);
    const { id } = json();
    const queries = async () => (await request('/api/queries', tokens.manager)).json().queries;
    await expect
      .poll(async () => [(await queries()).length, (await statusOf(id, tokens.all)).error])
      .toEqual([1, null]);
    await request(`/api/queries/${(await queries())[0].id}`, tokens.manager, { method: 'DELETE' });
    expect((await ended(id, tokens.all)).error?.code).toBe('query.killed');
    await remove(id, tokens.all);
  });

  it('ends its query when it is deleted', async () => {
    const { id } = (await askEndless()).json();
    await remove(id, tokens.all);
    await expect.poll(async () => (await request('/api/queries', tokens.manager)).json().queries).toEqual([]);
  });

  it('loses its rows when events are deleted that it may have, and no others', async () => {
    const { id } = await exported(tokens.all);
    const other = await exported(tokens.alder);
    const deletion = await request('/api/projects/birch/events', service.adminToken, { method: 'DELETE' });
    expect(deletion.status).toBe(202);
    await expect.poll(async () => (await statusOf(id, tokens.all)).error?.code).toBe('export.events_removed');
    expect((await dataOf(id, tokens.all)).code()).toBe('export.incomplete');
    await expect.poll(() => readdirSync(join(service.dataDir, 'exports', id))).toEqual(['export.json']);
    expect((await dataOf(other.id, tokens.alder)).status).toBe(200);
    await remove(other.id, tokens.alder);
  });

  it('loses its rows when its endpoint is changed', async () => {
    const { id } = await exported(tokens.alder);
    const changed = await request(`/api/endpoints/${endpointId}`, service.adminToken, {
      method: 'PATCH',
      body: JSON.stringify({ redact_pii: true }),
    });
    expect(changed.status).toBe(200);
    expect((await dataOf(id, tokens.alder)).code()).toBe('export.incomplete');
    expect((await statusOf(id, tokens.alder)).error?.code).toBe('export.endpoint_changed');
  });

  it('is gone an hour after its end', async () => {
    const { id } = await exported(tokens.alder);
    service.clock.advanceMs(3_600_000);
    expect((await request(`/api/exports/${id}`, tokens.alder)).code()).toBe('export.unknown');
    await expect.poll(() => readdirSync(join(service.dataDir, 'exports'))).not.toContain(id);
  });
});
