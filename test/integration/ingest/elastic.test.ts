import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const nowMicros = Date.parse('2026-11-27T12:00:00Z') * 1000;
const time = '2026-05-01T10:00:30.123Z';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros, settings: { sourceAliases: 'logs-generic-default=edge_logs' } });
});
afterAll(() => service.close());

interface Options {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function bulk(body: Uint8Array | string, { path = '/elastic/_bulk', headers = {} }: Options = {}) {
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-ndjson',
      ...('authorization' in headers ? {} : { authorization: basic(service.adminToken) }),
      ...headers,
    },
    body: Buffer.from(body),
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

const basic = (password: string) => `Basic ${Buffer.from(`elastic:${password}`).toString('base64')}`;
const lines = (...values: unknown[]) => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`;
const document = (project: string, message: string) => ({
  '@timestamp': time,
  message,
  project,
  host: { name: 'web' },
});

async function rowsOf(project: string) {
  const sql = 'select timestamp, event_message, metadata from edge_logs order by event_message';
  return (await service.call('logs.all', { project, sql })).body.result;
}

describe('_bulk', () => {
  it('stores documents, and answers for each in order', async () => {
    const { status, headers, body } = await bulk(
      lines(
        { index: { _index: 'edge_logs', _id: 'a' } },
        document('bulk', 'one'),
        { create: { _index: 'logs-generic-default' } },
        document('bulk', 'two'),
        { index: { _index: 'edge_logs', _id: 'c' } },
        { ...document('bulk', 'three'), '@timestamp': 'never' },
        { delete: { _index: 'edge_logs', _id: 'a' } },
      ),
    );
    expect([status, headers.get('x-elastic-product'), headers.get('content-type')]).toEqual([
      200,
      'Elasticsearch',
      'application/json',
    ]);
    expect(body).toEqual({
      took: expect.any(Number),
      errors: true,
      items: [
        { index: { _index: 'edge_logs', _id: 'a', result: 'created', status: 201 } },
        { create: { _index: 'logs-generic-default', result: 'created', status: 201 } },
        {
          index: {
            _index: 'edge_logs',
            _id: 'c',
            status: 400,
            error: { type: 'event.timestamp_invalid', reason: expect.stringContaining('never') },
          },
        },
        {
          delete: {
            _index: 'edge_logs',
            _id: 'a',
            status: 400,
            error: expect.objectContaining({ type: 'event.action_unsupported' }),
          },
        },
      ],
    });
    expect(await rowsOf('bulk')).toEqual(
      ['one', 'two'].map((event_message) => ({
        timestamp: '2026-05-01T10:00:30.123000Z',
        event_message,
        metadata: { host: { name: 'web' } },
      })),
    );
  });

  it('takes the source from the path, the URL or the header, gzip, and the types of newer clients', async () => {
    const body = lines({ index: {} }, document('ways', 'x'));
    const answers = [
      await bulk(body, { path: '/elastic/edge_logs/_bulk' }),
      await bulk(gzipSync(body), {
        path: '/elastic/_bulk?source=edge_logs&filter_path=errors,items.*.error',
        headers: {
          'content-encoding': 'gzip',
          'content-type': 'application/vnd.elasticsearch+x-ndjson;compatible-with=8',
        },
      }),
      await bulk(body, { path: '/elastic/logs-2026.05.01/_bulk', headers: { 'x-source': 'edge_logs' } }),
    ];
    expect(answers.map(({ status, body: { errors } }) => [status, errors])).toEqual(answers.map(() => [200, false]));
    expect(await rowsOf('ways')).toHaveLength(3);
  });

  it('fails as a whole in the form of Elasticsearch', async () => {
    const body = lines({ index: { _index: 'logstash-2026.05.01' } }, document('none', 'x'));
    const strict = lines({ index: {} }, { ...document('none', 'x'), '@timestamp': 'never' });
    const answers = [
      await bulk(body),
      await bulk('{"index":'),
      await bulk(strict, { path: '/elastic/edge_logs/_bulk?strict=true' }),
      await bulk(body, { headers: { authorization: basic('nonsense') } }),
    ];
    expect(
      answers.map(({ status, body: { status: told, error } }) => [status, told, error.type, error.root_cause]),
    ).toEqual(
      (
        [
          [404, 'source.unknown'],
          [400, 'request.malformed'],
          [400, 'ingest.batch_invalid'],
          [401, 'auth.invalid'],
        ] as const
      ).map(([status, type]) => [status, status, type, [{ type, reason: expect.any(String) }]]),
    );
    expect(await rowsOf('none')).toEqual([]);
  });

  it('takes an API key, and keeps a token to its projects', async () => {
    const token = await service.makeToken(['ingest:source:edge_logs'], ['mine']);
    const authorization = `ApiKey ${Buffer.from(`id:${token}`).toString('base64')}`;
    const body = lines({ index: {} }, document('mine', 'x'), { index: {} }, document('theirs', 'x'));
    const answer = await bulk(body, { path: '/elastic/edge_logs/_bulk', headers: { authorization } });
    const statuses = answer.body.items.map(
      ({ index }: { readonly index: { readonly status: number } }) => index.status,
    );
    expect([answer.status, statuses]).toEqual([200, [201, 400]]);
    expect([await rowsOf('mine'), await rowsOf('theirs')]).toMatchObject([[{}], []]);
  });
});

describe('what shippers ask first', () => {
  it.each([
    ['GET', '/elastic'],
    ['HEAD', '/elastic/'],
    ['GET', '/elastic/_license?human=false'],
    ['GET', '/elastic/_xpack'],
    ['GET', '/elastic/_cluster/health'],
    ['HEAD', '/elastic/_index_template/filebeat-8.19.0'],
    ['GET', '/elastic/_template/logstash'],
    ['GET', '/elastic/_ilm/policy/filebeat'],
    ['HEAD', '/elastic/_data_stream/filebeat-8.19.0'],
  ])('%s %s is answered as Elasticsearch does, to a token that may send events', async (method, path) => {
    const ask = (authorization: string) =>
      fetch(`${service.url}${path}`, {
        method,
        headers: { authorization, accept: 'application/vnd.elasticsearch+json;compatible-with=8' },
      });
    const answer = await ask(basic(service.adminToken));
    expect([answer.status, answer.headers.get('x-elastic-product')]).toEqual([200, 'Elasticsearch']);
    expect((await ask(basic('nonsense'))).status).toBe(401);
    expect((await ask(basic(await service.makeToken(['query'])))).status).toBe(403);
  });

  it('names a version that Beats, Logstash and Vector take', async () => {
    const headers = { authorization: basic(service.adminToken) };
    const info = await (await fetch(`${service.url}/elastic/`, { headers })).json();
    expect(info).toMatchObject({
      version: { number: expect.stringMatching(/^8\./), build_flavor: 'default' },
      tagline: 'You Know, for Search',
    });
  });
});

describe('recorded bytes', () => {
  interface Recorded {
    readonly sender: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly project: string;
    readonly expected: readonly Readonly<Record<string, unknown>>[];
  }
  const file = join(import.meta.dirname, '..', '..', 'fixtures', 'bulkRequests.json');
  const recorded: readonly Recorded[] = JSON.parse(readFileSync(file, 'utf8'));

  it.each(recorded)('of $sender are stored as they were meant', async ({ path, headers, body, project, expected }) => {
    const answer = await bulk(Buffer.from(body, 'base64'), { path, headers: { 'x-source': 'edge_logs', ...headers } });
    expect([answer.status, answer.body.errors]).toEqual([200, false]);
    expect(await rowsOf(project)).toEqual(expected);
  });
});

/**
 * What senders write that cannot run here, in the form of their own tests and encoders: elastic/beats (libbeat/esleg), the
 * elasticsearch output of Logstash, vectordotdev/vector (src/sinks/elasticsearch), fluent-bit (plugins/out_es).
 */
describe('requests in the form of', () => {
  const form = (sender: string) => ({ project: `form-${sender}`, source: { 'x-source': 'edge_logs' } });
  const stored = (message: string, metadata: object) => [
    { timestamp: '2026-05-01T10:00:30.123000Z', event_message: message, metadata },
  ];

  it('Filebeat: gzip, filter_path, and the data stream of its version', async () => {
    const { project, source } = form('filebeat');
    const fields = {
      input: { type: 'filestream' },
      log: { offset: 42, file: { path: '/var/log/shop.log', inode: '1835' } },
      ecs: { version: '8.0.0' },
      host: { name: 'web-1' },
      agent: { type: 'filebeat', version: '8.17.0', ephemeral_id: '3f0c' },
    };
    const body = lines(
      { create: { _index: 'filebeat-8.17.0' } },
      { '@timestamp': time, message: 'of Filebeat', project, ...fields },
    );
    const filter =
      'errors,items.index.status,items.index.error,items.create.status,items.create.error,items.update.status,items.update.error';
    const { status, body: answer } = await bulk(gzipSync(body), {
      path: `/elastic/_bulk?filter_path=${encodeURIComponent(filter)}`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json; charset=UTF-8',
        'content-encoding': 'gzip',
        'x-elastic-uncompressed-request-length': String(body.length),
        'user-agent': 'Elastic-filebeat/8.17.0 (linux; amd64)',
        ...source,
      },
    });
    expect([status, answer.errors, answer.items[0].create.status]).toEqual([200, false, 201]);
    expect(await rowsOf(project)).toEqual(stored('of Filebeat', fields));
  });

  it('Logstash: null for the ID and the routing, and tags of ECS', async () => {
    const { project, source } = form('logstash');
    const fields = { '@version': '1', event: { original: 'of Logstash' }, host: { hostname: 'web-1' }, tags: ['shop'] };
    const body = lines(
      { create: { _id: null, _index: 'logs-generic-default', routing: null } },
      { ...fields, '@timestamp': '2026-05-01T10:00:30.123Z', message: 'of Logstash', project },
      { index: { _id: null, _index: 'ecs-logstash', routing: null } },
      { ...fields, '@timestamp': 'no time', message: 'of Logstash', project },
    );
    const { status, body: answer } = await bulk(body, {
      path: '/elastic/_bulk?filter_path=errors,items.*.error,items.*.status',
      headers: { 'content-type': 'application/json', connection: 'Keep-Alive', ...source },
    });
    expect([status, answer.errors]).toEqual([200, true]);
    expect(answer.items.map((item: object) => Object.values(item)[0].status)).toEqual([201, 400]);
    expect(await rowsOf(project)).toEqual(stored('of Logstash', fields));
  });

  it.each([
    ['bulk', { index: { _index: 'vector', _type: '_doc' } }, 'timestamp', {}],
    [
      'data_stream',
      { create: { _index: 'logs-generic-default', _type: '_doc' } },
      '@timestamp',
      { data_stream: { dataset: 'generic', namespace: 'default', type: 'logs' } },
    ],
  ] as const)('Vector in mode %s', async (mode, action, timeName, fields) => {
    const { project, source } = form(`vector-${mode}`);
    const { status, body: answer } = await bulk(
      lines(action, { ...fields, file: '/var/log/shop.log', message: 'of Vector', project, [timeName]: time }),
      { headers: { 'content-type': 'application/x-ndjson', 'accept-encoding': 'zstd,gzip,deflate,br', ...source } },
    );
    expect([status, answer.errors]).toEqual([200, false]);
    expect(await rowsOf(project)).toEqual(stored('of Vector', { ...fields, file: '/var/log/shop.log' }));
  });

  it('Fluent Bit: a pipeline in its URL, and IDs that it generates, so that what it sends again is stored once', async () => {
    const { project, source } = form('fluent-bit');
    const body = lines(
      { create: { _index: 'fluent-bit', _id: 'ed1a2bb5-3b22-a1e0-44b4-4a5d2c0c4a2f' } },
      { '@timestamp': '2026-05-01T10:00:30.123Z', message: 'of Fluent Bit', project, stream: 'stdout' },
    );
    for (const _ of [1, 2]) {
      const { status, body: answer } = await bulk(body, {
        path: '/elastic/_bulk/?pipeline=shop',
        headers: { 'content-type': 'application/x-ndjson', 'user-agent': 'Fluent-Bit', ...source },
      });
      expect([status, answer.errors]).toEqual([200, false]);
    }
    expect(await rowsOf(project)).toEqual(stored('of Fluent Bit', { stream: 'stdout' }));
  });
});
