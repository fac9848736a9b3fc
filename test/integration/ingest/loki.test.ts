import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { pinoLoki } from 'pino-loki';
import { compress } from 'snappyjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pushRequestOf, snappyLiterals } from '../../support/lokiPush.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const nowMicros = Date.parse('2026-11-27T12:00:00Z') * 1000;
const nanos = '1777629630123456789';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros });
});
afterAll(() => service.close());

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Pushes with the admin token, unless the headers have another credential. */
async function push(body: Uint8Array | string, { headers = {}, query = '?source=edge_logs' }: Options = {}) {
  const response = await fetch(`${service.url}/loki/api/v1/push${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...('authorization' in headers ? {} : { 'x-api-key': service.adminToken }),
      ...headers,
    },
    body: Buffer.from(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const line = (project: string, text: string, metadata: Readonly<Record<string, string>> = {}) => ({
  stream: { app: 'web', project },
  values: [[nanos, text, metadata] as const],
});
const json = (...streams: unknown[]) => JSON.stringify({ streams });
const basic = (password: string) => `Basic ${Buffer.from(`tenant:${password}`).toString('base64')}`;

async function rowsOf(project: string, table = 'edge_logs') {
  const sql = `select timestamp, event_message, metadata from ${table} order by event_message`;
  return (await service.call('logs.all', { project, sql })).body.result;
}

describe('a push', () => {
  it('is answered with 204 in every encoding, and its lines can be queried', async () => {
    const protobuf = { 'content-type': 'application/x-protobuf' };
    const block = (text: string) => snappyLiterals(pushRequestOf([line('forms', text, { trace: 't' })]));
    const answers = [
      await push(json(line('forms', '1', { trace: 't' }))),
      await push(gzipSync(json(line('forms', '2', { trace: 't' }))), { headers: { 'content-encoding': 'gzip' } }),
      await push(block('3'), { headers: protobuf }),
      await push(block('4'), { headers: { ...protobuf, 'content-encoding': 'snappy' } }),
    ];
    expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [204, '']));
    expect(await rowsOf('forms')).toEqual(
      ['1', '2', '3', '4'].map((event_message) => ({
        timestamp: '2026-05-01T10:00:30.123456Z',
        event_message,
        metadata: { app: 'web', project: 'forms', trace: 't' },
      })),
    );
  });

  it('that is repeated is stored once, and for another tenant again', async () => {
    const body = json({ stream: { app: 'web' }, values: [[nanos, 'once']] });
    for (const tenant of ['tenant-a', 'tenant-a', 'tenant-b']) {
      expect((await push(body, { headers: { 'x-scope-orgid': tenant } })).status).toBe(204);
    }
    expect([await rowsOf('tenant-a'), await rowsOf('tenant-b')]).toMatchObject([
      [{ event_message: 'once' }],
      [{ event_message: 'once' }],
    ]);
  });

  it('with some bad lines is answered with 200 and what was rejected; with only bad lines with 400', async () => {
    const bad = { stream: { project: 'partly' }, values: [['1777629630', 'in seconds']] };
    const partly = await push(json(bad, line('partly', 'good')));
    expect([partly.status, JSON.parse(partly.text)]).toMatchObject([
      200,
      { message: 'Logged!', accepted: 1, rejected: [{ index: 0, code: 'event.timestamp_invalid' }] },
    ]);
    expect(await rowsOf('partly')).toHaveLength(1);
    for (const refused of [
      await push(json(bad)),
      await push(json(bad, line('partly', '2')), { query: '?source=edge_logs&strict=true' }),
    ]) {
      expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
        400,
        { status: 400, code: 'ingest.batch_invalid', errors: [{ index: 0, code: 'event.timestamp_invalid' }] },
      ]);
    }
    expect(await rowsOf('partly')).toHaveLength(1);
  });

  it('is divided by the label source, and refused as a whole if one is unknown', async () => {
    const to = (source: string, text: string) => ({ stream: { source, project: 'labels' }, values: [[nanos, text]] });
    expect((await push(json(to('edge_logs', 'e'), to('auth_logs', 'a')), { query: '' })).status).toBe(204);
    expect([await rowsOf('labels'), await rowsOf('labels', 'auth_logs')]).toMatchObject([
      [{ event_message: 'e' }],
      [{ event_message: 'a' }],
    ]);
    const unknown = await push(json(to('edge_logs', 'e2'), to('nowhere', 'n')), { query: '' });
    expect([unknown.status, JSON.parse(unknown.text)]).toMatchObject([404, { code: 'source.unknown' }]);
    expect(await rowsOf('labels')).toHaveLength(1);
  });
});

describe('the token', () => {
  it('may be the password of Basic, or a bearer, or in X-API-KEY beside the Basic of a proxy', async () => {
    const token = await service.makeToken(['ingest:source:edge_logs'], ['mine']);
    const body = (text: string) => json(line('mine', text));
    const credentials = [
      { authorization: basic(token) },
      { authorization: `Bearer ${token}` },
      { authorization: basic('of a proxy'), 'x-api-key': token },
    ];
    for (const [n, headers] of credentials.entries())
      expect((await push(body(String(n)), { headers })).status).toBe(204);
    expect(await rowsOf('mine')).toHaveLength(3);
    const other = await service.makeToken(['ingest'], ['other']);
    for (const [headers, status] of [
      [{ authorization: basic('nonsense') }, 401],
      [{ authorization: basic('') }, 401],
      [{ authorization: basic(token), origin: 'https://page.example' }, 401],
      [{ authorization: basic(other), 'x-api-key': token }, 401],
      [{ authorization: basic(other) }, 400],
    ] as const) {
      expect((await push(body('refused'), { headers })).status).toBe(status);
    }
    expect(await rowsOf('mine')).toHaveLength(3);
  });

  it('as a password is not read by other operations', async () => {
    const response = await fetch(`${service.url}/api/logs?source=edge_logs`, {
      method: 'POST',
      headers: { authorization: basic(service.adminToken), 'content-type': 'application/json' },
      body: '[]',
    });
    expect(response.status).toBe(401);
  });
});

it('tells clients what to send again: 4xx for what is bad, 429 and 503 with Retry-After', async () => {
  const statuses = [
    await push('{"streams":5}'),
    await push('x', { headers: { 'content-type': 'application/x-protobuf' } }),
    await push(json(), { headers: { 'content-type': 'text/plain' } }),
    await push(json(), { headers: { 'content-encoding': 'snappy' } }),
    await push(snappyLiterals(Buffer.alloc(1)).fill(0xff, 0, 1), {
      headers: { 'content-type': 'application/x-protobuf' },
    }),
    await push(json(), { headers: { 'x-scope-orgid': 'a|b' } }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([400, 400, 415, 415, 400, 400]);
  expect((await fetch(`${service.url}/ready`)).status).toBe(200);
});

describe('recorded bytes', () => {
  interface Recorded {
    readonly sender: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly expected: readonly Readonly<Record<string, unknown>>[];
  }
  const file = join(import.meta.dirname, '..', '..', 'fixtures', 'lokiPushes.json');
  const recorded: readonly Recorded[] = JSON.parse(readFileSync(file, 'utf8'));

  it.each(recorded)('of $sender are stored as they were meant', async ({ headers, body, expected }) => {
    expect((await push(Buffer.from(body, 'base64'), { headers })).status).toBe(204);
    expect(await rowsOf(String(headers['x-scope-orgid']))).toEqual(expected);
  });
});

it('the transport pino-loki sends what pino logs', async () => {
  const transport = pinoLoki({
    host: service.url,
    headers: { 'X-Source': 'edge_logs', 'X-Scope-OrgID': 'sender-pino' },
    basicAuth: { username: 'shop', password: service.adminToken },
    labels: { app: 'shop' },
    batching: false,
  });
  const options = { base: null, timestamp: () => ',"time":1777629630123' };
  const log = pino(options, { write: (line) => transport.write(line) });
  log.warn({ order: 4711 }, 'payment failed');
  await expect
    .poll(() => rowsOf('sender-pino'))
    .toEqual([
      {
        timestamp: '2026-05-01T10:00:30.123000Z',
        event_message: '{"level":40,"time":1777629630123,"order":4711,"msg":"payment failed"}',
        metadata: { app: 'shop', level: 'warning' },
      },
    ]);
  const ended = once(transport, 'close');
  transport.end();
  await ended;
});

/** In the form of the code of grafana/loki (clients/pkg/promtail/client), vectordotdev/vector and fluent-bit. */
describe('pushes in the form of', () => {
  const expected = (text: string, metadata: object) => [
    { timestamp: '2026-05-01T10:00:30.123456Z', event_message: text, metadata },
  ];
  const compressed = async (
    streams: Parameters<typeof pushRequestOf>[0],
    headers: Readonly<Record<string, string>>,
  ) => {
    const body = Buffer.from(compress(pushRequestOf(streams)));
    return await push(body, { headers: { 'content-type': 'application/x-protobuf', ...headers } });
  };

  it.each(['promtail/3.4.2', 'Alloy/v1.7.1 (linux; docker)'])(
    '%s: labels as Go quotes them, and the tenant',
    async (agent) => {
      const tenant = `form-${agent.slice(0, 5).toLowerCase()}`;
      const labels = { filename: '/var/log/shop.log', job: 'shop', path: 'C:\\logs\t"x" é', service_name: 'shop' };
      const values = [[nanos, `of ${agent}`]] as const;
      const answer = await compressed([{ stream: labels, values }], { 'user-agent': agent, 'x-scope-orgid': tenant });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(await rowsOf(tenant)).toEqual(expected(`of ${agent}`, labels));
    },
  );

  it('Vector: protobuf with structured metadata, and a tenant', async () => {
    const stream = { forwarder: 'vector' };
    const values = [[nanos, '{"status":200}', { trace_id: '4bf9' }]] as const;
    const headers = { 'x-scope-orgid': 'form-vector', 'user-agent': 'Vector/0.45.0' };
    expect((await compressed([{ stream, values }], headers)).status).toBe(204);
    expect(await rowsOf('form-vector')).toEqual(expected('{"status":200}', { ...stream, trace_id: '4bf9' }));
  });

  it('Fluent Bit: JSON with records as lines', async () => {
    const stream = { job: 'fluent-bit' };
    const body = json({ stream, values: [[nanos, '{"log":"of Fluent Bit","stream":"stdout"}']] });
    const headers = { 'x-scope-orgid': 'form-fluent-bit', 'user-agent': 'Fluent-Bit' };
    expect((await push(body, { headers })).status).toBe(204);
    expect(await rowsOf('form-fluent-bit')).toEqual(expected('{"log":"of Fluent Bit","stream":"stdout"}', stream));
  });
});
