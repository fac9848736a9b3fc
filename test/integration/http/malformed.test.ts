import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../../src/core/errorCatalogue.ts';
import { bodyOf } from './answerBody.ts';
import { type ExampleService, startExampleService } from './exampleService.ts';

let service: ExampleService;
beforeAll(async () => {
  service = await startExampleService();
});
afterAll(() => service.server.close());

const path = '/api/endpoints/query/example.rows';

/** The one shape of every error (contract, section 1, "Errors"). */
function expectProblem(
  status: number,
  code: string,
  head: { type: string | null; id: string | null },
  text: string,
): void {
  const body = JSON.parse(text);
  expect([body.status, body.code]).toEqual([status, code]);
  expect(head.type).toBe('application/problem+json');
  expect(Object.keys(body)).toEqual(['type', 'title', 'status', 'detail', 'code', 'request_id', 'errors', 'error']);
  expect(body.type).toBe(`https://logmill.dev/errors/${code}`);
  expect(body.title).toBe(errorCatalogue[code as keyof typeof errorCatalogue].title);
  expect(body.request_id).toBe(head.id);
  expect(body.detail).toMatch(/\.$|\?$/);
  expect(body.error).toEqual({ message: body.detail, code });
  expect(Array.isArray(body.errors)).toBe(true);
  expect(text).not.toMatch(/FST_|at \w+ \(|node:|fastify|duckdb|\/secret/i);
}

type Case = readonly [
  title: string,
  status: number,
  code: string,
  path: string,
  init?: RequestInit & { token?: string | null },
];

const json = (body: NonNullable<RequestInit['body']>, type = 'application/json'): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
});
const deep = (levels: number) => `{"project":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const cases: readonly Case[] = [
  ['unknown path', 404, 'route.unknown', '/api/nothing'],
  ['no name', 404, 'endpoint.unknown', '/api/endpoints/query/'],
  ['two names', 404, 'route.unknown', `${path}/more`],
  ['unknown endpoint', 404, 'endpoint.unknown', '/api/endpoints/query/no.such'],
  ['unknown id', 404, 'endpoint.unknown', '/api/endpoints/query/99999999-9999-4999-8999-999999999999'],
  ['name of 5,000 characters', 404, 'endpoint.unknown', `/api/endpoints/query/${'n'.repeat(5000)}`],
  ['name that decodes to a path', 404, 'endpoint.unknown', '/api/endpoints/query/..%2F..%2Fetc'],
  ['broken escape in the path', 400, 'request.malformed', '/api/endpoints/query/%zz'],
  ['path that is not UTF-8', 400, 'request.malformed', '/api/endpoints/query/%ff%fe'],
  ['wrong method', 405, 'request.method_not_allowed', path, { method: 'DELETE' }],
  [
    'wrong method and nonsense media type',
    405,
    'request.method_not_allowed',
    path,
    { ...json('{}', 'nonsense'), method: 'PUT' },
  ],
  [
    'method of a path like this one and nonsense media type',
    405,
    'request.method_not_allowed',
    '/api/endpoints/check',
    { ...json('{}', 'nonsense'), method: 'PUT' },
  ],
  ['wrong method on events', 405, 'request.method_not_allowed', '/api/logs'],
  ['wrong method on a probe', 405, 'request.method_not_allowed', '/livez', { method: 'POST' }],
  ['OPTIONS of an unknown path', 404, 'route.unknown', '/api/nothing', { method: 'OPTIONS' }],
  ['missing token', 401, 'auth.missing', path, { token: null }],
  ['unknown token', 401, 'auth.invalid', path, { token: 'nonsense' }],
  ['missing token for events', 401, 'auth.missing', '/api/logs', { token: null, method: 'POST' }],
  ['no right to events', 403, 'auth.scope', '/api/logs', { method: 'POST' }],
  ['missing parameter', 400, 'parameter.missing', path],
  ['empty required parameter', 400, 'parameter.missing', `${path}?project=`],
  ['wrong int64', 400, 'parameter.invalid', `${path}?project=p&n=1.5`],
  ['int64 out of range', 400, 'parameter.invalid', `${path}?project=p&n=9223372036854775808`],
  ['wrong timestamp', 400, 'parameter.invalid', `${path}?project=p&start=yesterday`],
  ['wrong enum', 400, 'parameter.invalid', `${path}?project=p&kind=blue`],
  ['NUL in a value', 400, 'parameter.invalid', `${path}?project=a%00b`],
  ['value too long', 400, 'parameter.too_long', `${path}?project=${'x'.repeat(4097)}`],
  ['twice in the URL', 400, 'parameter.duplicate', `${path}?project=p&project=p`],
  ['unknown one twice', 400, 'parameter.duplicate', `${path}?project=p&ref=1&ref=2`],
  ['sql twice', 400, 'parameter.duplicate', `${path}?project=p&sql=&sql=select+1`],
  ['URL and body', 400, 'parameter.duplicate', `${path}?project=p`, json('{"project":"p"}')],
  [
    'twice in a form',
    400,
    'parameter.duplicate',
    path,
    json('project=p&project=q', 'application/x-www-form-urlencoded'),
  ],
  ['broken escape in the query string', 400, 'request.malformed', `${path}?project=50%`],
  ['broken escape in a name', 400, 'request.malformed', `${path}?pro%zzject=p`],
  ['query string that is not UTF-8', 400, 'request.malformed', `${path}?project=%ff`],
  ['overlong UTF-8', 400, 'request.malformed', `${path}?project=%c0%80`],
  ['surrogate as UTF-8', 400, 'request.malformed', `${path}?project=%ed%a0%80`],
  ['too many parameters', 400, 'request.malformed', `${path}?${'a=&'.repeat(1001)}`],
  ['sql and lql', 400, 'query.both', `${path}?project=p&sql=select+1&lql=x`],
  ['unknown format', 406, 'request.not_acceptable', `${path}?project=p&format=xlsx`],
  ['two formats', 400, 'parameter.duplicate', `${path}?project=p&format=csv&format=tsv`],
  ['csv_guard', 400, 'parameter.invalid', `${path}?project=p&format=csv&csv_guard=yes`],
  [
    'format that the rows do not suit',
    422,
    'format.unsuitable',
    `${path}?project=p&format=prometheus&sql=select+'a'+as+x`,
  ],
  ['version without the scope', 403, 'auth.scope', `${path}?project=p&version=1`],
  ['dry_run', 400, 'parameter.invalid', `${path}?project=p&dry_run=yes`],
  ['dry_run without the scope', 403, 'auth.scope', `${path}?project=p&dry_run=true`],
  ['sql without a sandbox', 403, 'sandbox.disabled', '/api/endpoints/query/example.closed?project=p&sql=select+1'],
  ['bad sql', 400, 'sql.syntax', `${path}?project=p&sql=bad`],
  ['sql too long', 400, 'sql.too_complex', path, json(JSON.stringify({ project: 'p', sql: 'x'.repeat(65 * 1024) }))],
  ['sql with NUL', 400, 'parameter.invalid', `${path}?project=p&sql=select%00`],
  [
    'unknown values profile',
    400,
    'parameter.invalid',
    `${path}?project=p`,
    { headers: { 'svc-endpoint-values': 'pretty' } },
  ],
  ['failing on data', 400, 'sql.data', `${path}?project=divide`],
  ['defect of the engine', 500, 'internal', `${path}?project=crash`],
  ['body that is not JSON', 400, 'request.malformed', path, json('{"project":')],
  ['body with a trailing comma', 400, 'request.malformed', path, json('{"project":"p",}')],
  ['two JSON values', 400, 'request.malformed', path, json('{"project":"p"}{}')],
  ['JSON array', 400, 'request.malformed', path, json('["p"]')],
  ['JSON string', 400, 'request.malformed', path, json('"p"')],
  ['JSON null', 400, 'request.malformed', path, json('null')],
  ['duplicate key', 400, 'request.duplicate_key', path, json('{"project":"p","project":"q"}')],
  ['duplicate key, escaped', 400, 'request.duplicate_key', path, json('{"project":"p","\\u0070roject":"q"}')],
  ['array value', 400, 'parameter.invalid', path, json('{"project":["p"]}')],
  ['object value', 400, 'parameter.invalid', path, json('{"project":{"$gt":""}}')],
  ['number beyond all doubles', 400, 'parameter.invalid', path, json('{"project":1e999}')],
  ['integer beyond 64 bits', 400, 'parameter.invalid', path, json('{"project":123456789012345678901234567890}')],
  ['JSON null for a required parameter', 400, 'parameter.missing', path, json('{"project":null}')],
  ['prototype as a parameter', 400, 'parameter.missing', path, json('{"__proto__":"x","constructor":"y"}')],
  ['prototype as an object', 400, 'parameter.invalid', path, json('{"__proto__":{"project":"x"}}')],
  ['deep body', 400, 'parameter.invalid', path, json(deep(20))],
  ['very deep body', 400, 'request.malformed', path, json(deep(100_000))],
  ['NUL in a JSON value', 400, 'parameter.invalid', path, json('{"project":"a\\u0000b"}')],
  ['raw control character', 400, 'request.malformed', path, json('{"project":"a\u0001b"}')],
  ['lone surrogate escape', 400, 'request.malformed', path, json('{"project":"\\ud800"}')],
  ['lone low surrogate escape', 400, 'request.malformed', path, json('{"project":"\\udc00\\ud800"}')],
  ['body that is not UTF-8', 400, 'request.malformed', path, json(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))],
  ['body in UTF-16', 415, 'request.unsupported_media_type', path, json('{}', 'application/json; charset=utf-16')],
  ['form that is not UTF-8', 400, 'request.malformed', path, json('project=%ff', 'application/x-www-form-urlencoded')],
  [
    'form with raw bytes that are not UTF-8',
    400,
    'request.malformed',
    path,
    json(Buffer.from('project=\xff', 'latin1'), 'application/x-www-form-urlencoded'),
  ],
  ['other media type', 415, 'request.unsupported_media_type', path, json('project: p', 'application/yaml')],
  ['nonsense media type', 415, 'request.unsupported_media_type', path, json('{}', 'nonsense')],
  ['no media type', 415, 'request.unsupported_media_type', path, { method: 'POST', body: Buffer.from('{}') }],
  [
    'compressed body',
    415,
    'request.unsupported_encoding',
    path,
    { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
  ],
  ['huge body', 413, 'request.too_large', path, json(`{"project":"${'x'.repeat(1024 * 1024)}"}`)],
  [
    'huge batch of events',
    413,
    'request.too_large',
    '/api/logs',
    { ...json('x'.repeat(17 * 1024 * 1024)), token: 'ingest-token' },
  ],
];

describe('a request that is wrong', () => {
  for (const [title, status, code, target, init] of cases) {
    it(`${title}: ${status} ${code}`, async () => {
      const response = await service.call(target, init);
      expect(response.status).toBe(status);
      expectProblem(
        status,
        code,
        { type: response.headers.get('content-type'), id: response.headers.get('x-request-id') },
        await response.text(),
      );
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    });
  }

  const line = `GET ${path}?project=p HTTP/1.1\r\n`;
  const chunked = (coding: string, version = 'HTTP/1.1') =>
    `POST ${path} ${version}\r\nHost: x\r\nConnection: keep-alive\r\nX-API-KEY: query-token\r\nContent-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
  it.each([
    ['not HTTP', 400, 'request.malformed', 'HELLO\r\n\r\n'],
    ['TLS', 400, 'request.malformed', Buffer.from([0x16, 0x03, 0x01, 0x00, 0xf8, 0x01, 0x00])],
    ['no Host', 400, 'request.malformed', `${line}Connection: close\r\n\r\n`],
    ['raw bytes in the URL', 400, 'request.malformed', `GET ${path}?project=café HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      'both lengths',
      400,
      'request.malformed',
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ],
    ['header without a colon', 400, 'request.malformed', `${line}Host: x\r\nnonsense\r\n\r\n`],
    [
      'bad chunk',
      400,
      'request.malformed',
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: query-token\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
    ['two transfer codings', 501, 'request.unsupported_transfer_coding', chunked('gzip, chunked')],
    ['an old transfer coding', 501, 'request.unsupported_transfer_coding', chunked('identity, chunked')],
    [
      'transfer codings in two headers',
      501,
      'request.unsupported_transfer_coding',
      chunked('gzip\r\nTransfer-Encoding: chunked'),
    ],
    [
      'transfer coding of a GET',
      501,
      'request.unsupported_transfer_coding',
      `${line}Host: x\r\nX-API-KEY: query-token\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['chunks in HTTP/1.0', 400, 'request.malformed', chunked('chunked', 'HTTP/1.0')],
    ['huge header', 431, 'request.head_too_large', `${line}Host: x\r\nX-Pad: ${'x'.repeat(1024 * 1024)}\r\n\r\n`],
    ['huge request line', 431, 'request.head_too_large', `GET /${'x'.repeat(1024 * 1024)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['unknown HTTP method', 400, 'request.malformed', `BREW ${path} HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      'method of another protocol',
      405,
      'request.method_not_allowed',
      `PROPFIND ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    ],
    [
      'method of which the framework demands a Content-Type',
      405,
      'request.method_not_allowed',
      `QUERY ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    ],
    [
      'the same on an unknown path',
      404,
      'route.unknown',
      'QUERY /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ],
    [
      'a host for a proxy',
      405,
      'request.method_not_allowed',
      'CONNECT a.example:80 HTTP/1.1\r\nHost: a.example\r\n\r\n',
    ],
    ['asterisk', 404, 'route.unknown', 'GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('%s on the bare socket: %s %s', async (_, status, code, bytes) => {
    const answer = await service.raw(bytes);
    const [head = '', text = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? null;
    expectProblem(status, code, { type: header('content-type'), id: header('x-request-id') }, text);
  });

  it.each([
    'GET /livez HTTP/1.1\r\nHo',
    `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: query-token\r\nContent-Length: 9\r\n\r\n{`,
  ])('is not waited for without end: %j', async (bytes) => {
    const impatient = await startExampleService({ requestTimeoutMs: 100 });
    const answer = await impatient.raw(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').code).toBe('request.timeout');
    await impatient.server.close();
  });

  it.each(['HELLO\r\n\r\n', 'CONNECT a.example:80 HTTP/1.1\r\nHost: a.example\r\n\r\n'])(
    'does not have its connection held for a client that never ends it: %j',
    async (bytes) => {
      const impatient = await startExampleService({ answerIdleMsMax: 50 });
      const socket = connect({ port: impatient.port, host: '127.0.0.1', allowHalfOpen: true });
      let state = 'open';
      socket.on('end', () => {
        state = 'answered';
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        state = 'gone';
      });
      socket.resume().write(bytes);
      await expect.poll(() => state).not.toBe('open');
      // Only who sends something hears that nobody is there any more.
      const poll = () => {
        if (!socket.destroyed) socket.write('x');
        return state;
      };
      await expect.poll(poll).toBe('gone');
      await impatient.server.close();
    },
  );

  it('is answered with an expectation of any sort as without', async () => {
    const answer = await service.raw(
      `${line}Host: x\r\nX-API-KEY: query-token\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('asks for a body only where it is about to read it', async () => {
    const begin = (token: string, bytes: number | string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${token}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${bytes}\r\n`;
    const body = '{"project":"p"}';
    const asked = await service.raw(`${begin('query-token', body.length)}Connection: close\r\n\r\n${body}`);
    expect(asked).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    // None of it has been sent, and none of it is to be.
    for (const [token, status] of [
      ['query-token', 413],
      ['nonsense', 401],
    ] as const) {
      const refused = await service.raw(`${begin(token, 1_000_000_000)}\r\n`);
      expect(refused).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(refused).toMatch(/^connection: close\r$/im);
    }
  });

  it.each([
    ['', 'no Content-Type'],
    ['nonsense', 'nonsense'],
    ['a/b/c', 'a/b/c'],
  ])('is told which types of body there are where its own is %j', async (type, given) => {
    const answer = await service.raw(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: query-token\r\nContent-Type: ${type}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    const { status, detail, errors } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '');
    expect(status).toBe(415);
    expect(detail).toContain(given);
    expect(errors[0].allowed).toEqual(['application/json', 'application/x-www-form-urlencoded']);
  });

  it('is told after the answers to those before it that there is no proxy', async () => {
    const answer = await service.raw(
      `${line}Host: x\r\nX-API-KEY: query-token\r\n\r\nCONNECT a.example:80 HTTP/1.1\r\nHost: a.example\r\n\r\n`,
    );
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual(['200', '405']);
    expect(answer).toMatch(/^allow: .*POST/m);
  });

  it('says which methods a path has', async () => {
    const response = await service.call(path, { method: 'PUT' });
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await bodyOf(response)).errors).toEqual([{ value: 'PUT', allowed: ['GET', 'HEAD', 'POST'] }]);
  });

  it.each([
    ['/api/endpoint/query/example.rows', '/api/endpoints/query/example.rows'],
    ['/api/log', '/api/logs'],
    ['/healthz', '/health'],
  ])('names the path nearest to %s', async (wrong, nearest) => {
    expect((await bodyOf(await service.call(wrong))).errors[0]?.nearest).toBe(nearest);
  });

  it('names the nearest endpoint', async () => {
    expect((await bodyOf(await service.call('/api/endpoints/query/example.row'))).errors[0]?.nearest).toBe(
      'example.rows',
    );
  });

  it('leaves the cause of a defect in the log, under the request ID', async () => {
    const response = await service.call(`${path}?project=crash`, { headers: { 'x-request-id': 'find-me' } });
    expect(response.status).toBe(500);
    const failure = service.observations.find((each) => each.kind === 'request.failed' && each.requestId === 'find-me');
    expect(failure).toMatchObject({
      code: 'internal',
      cause: expect.objectContaining({ message: expect.stringContaining('duckdb') }),
    });
  });

  it('leaves the service as able to answer as before', async () => {
    expect((await service.call(`${path}?project=p`)).status).toBe(200);
  });
});
