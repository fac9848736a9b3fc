import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { functionCatalogue } from '../../../src/googlesql/functions/catalogue.ts';
import { bodyOf } from './answerBody.ts';
import { type ExampleService, endpoints, startExampleService } from './exampleService.ts';

let service: ExampleService;
beforeEach(async () => {
  service = await startExampleService();
});
afterEach(async () => {
  service.engine.releaseAll();
  await service.server.close();
});

const path = '/api/endpoints/query/example.rows';
const runRequest = (index = 0) => service.engine.runs[index]?.request;

describe('a call of an endpoint', () => {
  it('answers 200 with result first and the documented meta', async () => {
    const response = await service.call(`${path}?project=p&ref=x`, {
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text.startsWith('{"result":[{"project":"p"}],"meta":{"endpoint":')).toBe(true);
    const { meta } = JSON.parse(text);
    expect(meta).toMatchObject({
      endpoint: { id: endpoints.rows.id, name: 'example.rows', version: 3 },
      columns: [{ name: 'project', type: 'STRING' }],
      row_count: 1,
      truncated: false,
      notices: [{ code: 'parameter.unknown', parameter: 'ref' }],
      cache: { outcome: 'bypass', as_of: '2026-05-01T00:00:00.000000Z' },
      redaction: { applied: false, counts: {} },
      query: { elapsed_ms: 1.5, rows_scanned: 1 },
      request_id: response.headers.get('x-request-id'),
    });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    for (const name of ['X-API-KEY', 'Authorization', 'SVC-ENDPOINT-VALUES', 'SVC-ENDPOINT-REDACT-PII', 'Accept']) {
      expect(response.headers.get('vary')).toContain(name);
    }
    for (const stage of ['find', 'bind', 'compile', 'queue', 'run', 'shape']) {
      expect(response.headers.get('server-timing')).toMatch(new RegExp(`\\b${stage};dur=`));
    }
  });

  it.each([endpoints.rows.id, endpoints.rows.id.toUpperCase(), 'example.rows', 'example%2Erows'])(
    'finds the endpoint under %s',
    async (segment) => {
      const response = await service.call(`/api/endpoints/query/${segment}?project=p`);
      expect((await bodyOf(response)).meta.endpoint.name).toBe('example.rows');
    },
  );

  it.each([
    ['GET, escaped', '?project=caf%C3%A9+%2B%20x', undefined, undefined],
    ['POST, JSON', '', '{"project":"café + x","n":null}', 'application/json'],
    ['POST, form', '', 'project=caf%C3%A9+%2B+x', 'application/x-www-form-urlencoded'],
    ['POST, form with raw UTF-8', '', 'project=café+%2B+x', 'application/x-www-form-urlencoded; charset=UTF-8'],
    ['POST, URL and body', '?n=1', '{"project":"café + x"}', 'application/json; charset=utf-8'],
  ])('reads the same value from %s', async (_, query, body, type) => {
    const init = body === undefined ? {} : { method: 'POST', body, headers: { 'content-type': type } };
    const response = await service.call(`${path}${query}`, init);
    expect(response.status).toBe(200);
    expect(runRequest()?.parameters.get('project')).toEqual({ kind: 'string', value: 'café + x' });
  });

  it('takes numbers and booleans of a JSON body as their text, every digit', async () => {
    await service.call(path, {
      method: 'POST',
      body: '{"project":true,"n":9223372036854775807,"tier":1152921504606846976}',
      headers: { 'content-type': 'application/json' },
    });
    expect(runRequest()?.parameters.get('project')).toEqual({ kind: 'string', value: 'true' });
    expect(runRequest()?.parameters.get('n')).toEqual({ kind: 'int64', value: 9223372036854775807n });
    expect(runRequest()?.parameters.get('tier')).toEqual({ kind: 'string', value: '1152921504606846976' });
  });

  it('answers a POST without a body as a GET, whatever its Content-Type', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      expect((await service.call(`${path}?project=p`, { method: 'POST', headers })).status).toBe(200);
    }
  });

  it('accepts a request line of 64 KiB and more', async () => {
    const sql = `select '${'x'.repeat(63_000)}'`;
    const response = await service.call(`${path}?project=p&sql=${encodeURIComponent(sql)}&pad=${'y'.repeat(5000)}`);
    expect(response.status).toBe(200);
  });

  it('says that the body of a GET was not read', async () => {
    const head = `GET ${path}?project=p HTTP/1.1\r\nHost: x\r\nX-API-KEY: query-token\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;
    expect(await service.raw(head)).toContain('"request.body_ignored"');
  });

  it.each([
    ['rows-5', '', { row_count: 5, truncated: false }],
    ['rows-6', '', { row_count: 5, truncated: true, truncated_by: 'max_rows' }],
    ['rows-6', '&sql=select 1 limit 3', { row_count: 3, truncated: false }],
    ['rows-6', '&sql=select 1 limit 100', { row_count: 5, truncated: true, truncated_by: 'max_rows' }],
  ])('%s%s: says whether and why the result was cut', async (project, more, meta) => {
    const response = await service.call(`${path}?project=${project}${more}`);
    expect((await bodyOf(response)).meta).toMatchObject(meta);
  });

  it("says query_limit where the stored query's own LIMIT cut", async () => {
    const response = await service.call('/api/endpoints/query/example.limited?project=rows-3');
    expect((await bodyOf(response)).meta).toMatchObject({ row_count: 2, truncated: true, truncated_by: 'query_limit' });
  });

  it('says that the retention window clamped an explicit start', async () => {
    const response = await service.call(`${path}?project=p&tier=PRO&start=2026-04-01`);
    expect((await bodyOf(response)).meta.notices).toMatchObject([{ code: 'retention.clamped', parameter: 'start' }]);
  });

  it('chooses the values profile by header, then definition, then service', async () => {
    await service.call(`${path}?project=p`);
    await service.call(`${path}?project=p`, { headers: { 'svc-endpoint-values': 'Records' } });
    await service.call('/api/endpoints/query/logs-all-staging?project=p');
    await service.call('/api/endpoints/query/logs-all-staging?project=p', {
      headers: { 'svc-endpoint-values': 'plain' },
    });
    expect(service.engine.runs.map(({ request }) => request.profile)).toEqual(['plain', 'records', 'records', 'plain']);
  });

  it.each(['true', 'TRUE', 'True', ' true ', 'false, true'])('redacts when it is asked for with %j', async (value) => {
    const response = await service.call(`${path}?project=p`, { headers: { 'svc-endpoint-redact-pii': value } });
    expect(response.status).toBe(200);
    expect((await bodyOf(response)).meta.redaction.applied).toBe(true);
  });

  it.each(['false', '', '1', 'yes', 'truee'])('is not changed by the redaction header %j', async (value) => {
    const response = await service.call(`${path}?project=p`, { headers: { 'svc-endpoint-redact-pii': value } });
    expect(response.status).toBe(200);
    expect((await bodyOf(response)).meta.redaction.applied).toBe(false);
  });

  it("keeps the caller's request ID where it is a plain token, and makes one where it is not", async () => {
    const kept = await service.call(`${path}?project=p`, { headers: { 'x-request-id': 'trace-1.2:3' } });
    expect(kept.headers.get('x-request-id')).toBe('trace-1.2:3');
    const made = await service.call(`${path}?project=p`, { headers: { 'x-request-id': 'has "quotes" and spaces' } });
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });
});

describe('the credential', () => {
  it.each([
    ['X-API-KEY', { 'x-api-key': 'query-token' }],
    ['Bearer', { authorization: 'Bearer query-token' }],
    ['bearer in lower case', { authorization: 'bearer query-token' }],
    ['both alike', { authorization: 'Bearer query-token', 'x-api-key': 'query-token' }],
    ['X-API-KEY beside the Basic of a proxy', { authorization: 'Basic dTpw', 'x-api-key': 'query-token' }],
  ])('is taken from %s', async (_, headers) => {
    expect((await service.call(`${path}?project=p`, { headers, token: null })).status).toBe(200);
  });

  it.each([
    ['auth.missing', {}],
    ['auth.missing', { 'x-api-key': '' }],
    ['auth.missing', { authorization: 'Basic dTpw' }],
    ['auth.invalid', { 'x-api-key': 'nonsense' }],
    ['auth.invalid', { 'x-api-key': 'query-token', authorization: 'Bearer other-query-token' }],
  ])('%s for %j, with WWW-Authenticate', async (code, headers) => {
    const response = await service.call(`${path}?project=p`, { headers, token: null });
    expect(response.status).toBe(401);
    expect((await bodyOf(response)).code).toBe(code);
    expect(response.headers.get('www-authenticate')).toContain('Bearer');
  });

  it('is checked before anything else of the call, also before its body is read', async () => {
    for (const init of [
      { method: 'POST', body: 'x'.repeat(3_000_000), headers: { 'content-type': 'application/json' } },
      { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } },
      { method: 'POST', body: 'x', headers: { 'content-type': 'nonsense' } },
    ]) {
      expect((await service.call('/api/endpoints/query/no.such', { ...init, token: null })).status).toBe(401);
    }
    expect((await service.call(`${path}?project=%`, { token: null })).status).toBe(401);
  });

  it('in the URL counts only where that is switched on, and is no parameter then', async () => {
    const off = await service.call(`${path}?project=p&api_key=query-token`, { token: null });
    expect(off.status).toBe(401);
    const open = await startExampleService({ tokenInUrl: true });
    const on = await open.call(`${path}?project=p&api_key=query-token`, { token: null });
    expect(on.status).toBe(200);
    expect((await bodyOf(on)).meta.notices).toEqual([]);
    await open.server.close();
  });

  it('without a query scope is refused alike for known and unknown endpoints', async () => {
    for (const name of ['example.rows', 'no.such']) {
      const response = await service.call(`/api/endpoints/query/${name}?project=p`, { token: 'ingest-token' });
      expect(response.status).toBe(403);
      expect((await bodyOf(response)).code).toBe('auth.scope');
    }
  });

  it('for one endpoint cannot tell another one from none, and is shown only its own in suggestions', async () => {
    const answers = [];
    for (const name of ['example.rows', 'example.rowz']) {
      const response = await service.call(`/api/endpoints/query/${name}`, { token: 'limited-token' });
      expect(response.status).toBe(404);
      const { code, detail, errors } = await bodyOf(response);
      expect(JSON.stringify(errors)).not.toContain('"nearest":"example.rows"');
      answers.push([code, detail.replaceAll(name, '')]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(
      (await service.call('/api/endpoints/query/example.limited?project=p', { token: 'limited-token' })).status,
    ).toBe(200);
  });
});

describe('a running query', () => {
  it('is stopped when its caller hangs up, which is observed as 499', async () => {
    const socket = connect(service.port, '127.0.0.1');
    socket.write(`GET ${path}?project=hold HTTP/1.1\r\nHost: x\r\nX-API-KEY: query-token\r\n\r\n`);
    await expect.poll(() => service.engine.runs.length).toBe(1);
    socket.destroy();
    const run = service.engine.runs[0];
    await expect.poll(() => run?.signal.aborted).toBe(true);
    expect(run?.signal.reason).toMatchObject({ code: 'query.cancelled' });
    await expect.poll(() => service.observations.some(({ kind }) => kind === 'request.completed')).toBe(true);
    expect(service.observations).toMatchObject([
      { kind: 'request.completed', route: 'endpoints.query', status: 499, errorCode: 'query.cancelled' },
    ]);
  });

  it.each([
    ['once what its client asked before on the connection is answered', true],
    ['never where its client goes before that', false],
  ])('is started %s', async (_when, stays) => {
    const socket = connect(service.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const get = (project: string) =>
      `GET ${path}?project=${project} HTTP/1.1\r\nHost: x\r\nX-API-KEY: query-token\r\n\r\n`;
    socket.write(get('hold') + get('behind') + get('last'));
    await expect.poll(() => service.engine.runs.length).toBe(1);
    // Whoever asks on another connection does not wait.
    await (await service.call(`${path}?project=other`)).text();
    if (!stays) {
      socket.destroy();
      await expect.poll(() => service.engine.runs[0]?.signal.aborted).toBe(true);
    }
    service.engine.releaseAll();
    if (stays) await expect.poll(() => received.includes('"project":"last"')).toBe(true);
    await (await service.call(`${path}?project=after`)).text();
    const projects = service.engine.runs.map(({ request }) => request.parameters.get('project'));
    const names = ['hold', 'other', ...(stays ? ['behind', 'last'] : []), 'after'];
    expect(projects).toEqual(names.map((value) => ({ kind: 'string', value })));
    socket.destroy();
  });

  it('is not started for a client that breaks off in the middle of its body, which is no defect', async () => {
    const socket = connect(service.port, '127.0.0.1');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: query-token\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"pro`,
      () => socket.destroy(),
    );
    await expect.poll(() => service.observations.length > 0).toBe(true);
    expect(service.observations).toMatchObject([{ kind: 'request.completed', status: 499 }]);
    expect(service.engine.runs).toHaveLength(0);
  });

  it('keeps no answer for a client that does not take it', async () => {
    const impatient = await startExampleService({ answerIdleMsMax: 50 });
    const socket = connect(impatient.port, '127.0.0.1');
    socket.write(
      `GET /api/endpoints/query/example.rows?project=huge HTTP/1.1\r\nHost: x\r\nX-API-KEY: query-token\r\n\r\n`,
    );
    await expect.poll(() => impatient.observations.some(({ kind }) => kind === 'request.completed')).toBe(true);
    expect(impatient.observations).toMatchObject([{ status: 499 }]);
    socket.destroy();
    await impatient.server.close();
  });

  it('keeps no tail for a client that takes none of its rows', async () => {
    const rows = new Readable({ read: () => rows.push('x'.repeat(64 * 1024)) });
    const prepareTail = async () => ({ format: 'ndjson' as const, open: async () => rows });
    const impatient = await startExampleService({ answerIdleMsMax: 50 }, { prepareTail });
    const socket = connect(impatient.port, '127.0.0.1');
    socket.write('GET /api/endpoints/tail/example.rows HTTP/1.1\r\nHost: x\r\nX-API-KEY: query-token\r\n\r\n');
    await expect.poll(() => rows.destroyed).toBe(true);
    socket.destroy();
    await impatient.server.close();
  });

  it('is refused while answers that the token has not read take its share of the memory, which leaves others room', async () => {
    const small = await startExampleService({ answerBytesHeldMax: 100_000_000 });
    const head = (token: string) =>
      `GET /api/endpoints/query/example.rows?project=huge HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${token}\r\n\r\n`;
    const unread = connect(small.port, '127.0.0.1');
    unread.write(head('query-token'));
    // Its answer has begun, so it is the other calls that find no room.
    const [begun] = (await once(unread, 'data')) as [Buffer];
    unread.pause();
    expect(begun.toString('latin1', 0, 15)).toBe('HTTP/1.1 200 OK');
    await expect
      .poll(async () => (await small.call('/api/endpoints/query/example.rows?project=huge')).status)
      .toBe(503);
    expect((await small.call('/api/endpoints/query/example.rows?project=p')).status).toBe(200);
    unread.destroy();
    await expect
      .poll(async () => (await small.call('/api/endpoints/query/example.rows?project=huge')).status)
      .toBe(200);
    await small.server.close();
  });

  it("ends at the definition's own deadline with 504", async () => {
    const answer = service.call('/api/endpoints/query/logs-all-staging?project=hold');
    await expect.poll(() => service.engine.runs.length).toBe(1);
    service.timer.advanceMs(500);
    const response = await answer;
    expect(response.status).toBe(504);
    expect((await bodyOf(response)).code).toBe('query.timeout');
  });

  it('makes further ones wait, and refuses past the bound with 503 and Retry-After', async () => {
    const held = [1, 2, 3, 4].map(() => service.call(`${path}?project=hold`));
    await expect.poll(() => [service.engine.runs.length, service.queue.waitingCount]).toEqual([2, 2]);
    const refused = await service.call(`${path}?project=hold`);
    expect(refused.status).toBe(503);
    expect((await bodyOf(refused)).code).toBe('query.overloaded');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    while (service.engine.runs.length < 4) {
      service.engine.releaseAll();
      await new Promise((resolve) => setImmediate(resolve));
    }
    service.engine.releaseAll();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

describe('probes and draining', () => {
  it('answers without a token', async () => {
    for (const probe of ['/livez', '/readyz', '/health']) {
      const response = await service.call(probe, { token: null });
      expect([response.status, await bodyOf(response)]).toEqual([200, { status: 'ok' }]);
    }
  });

  it('is alive but not ready while starting', async () => {
    service.readiness = new ServiceError('service.starting', 'Definitions are being loaded.');
    expect((await service.call('/livez', { token: null })).status).toBe(200);
    for (const probe of ['/readyz', '/health']) {
      const response = await service.call(probe, { token: null });
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      expect((await bodyOf(response)).code).toBe('service.starting');
    }
  });

  it('still answers calls while draining, but asks every client to leave', async () => {
    service.server.beginDrain();
    const probe = await service.call('/readyz', { token: null });
    expect([probe.status, (await bodyOf(probe)).code]).toEqual([503, 'service.draining']);
    const answer = await service.call(`${path}?project=p`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    await answer.arrayBuffer();
    await expect.poll(() => service.observations.length).toBe(2);
    expect(service.observations).toMatchObject([{ status: 503 }, { status: 200 }]);
  });

  it('closes when the last call has been answered, not before', async () => {
    const held = service.call(`${path}?project=hold`);
    await expect.poll(() => service.engine.runs.length).toBe(1);
    service.server.beginDrain();
    let isClosed = false;
    const closing = service.server.close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    service.engine.releaseAll();
    expect((await held).status).toBe(200);
    await closing;
  });

  it('closes although clients hold connections on which they ask nothing, or half a question', async () => {
    const idle = connect(service.port, '127.0.0.1');
    const halfway = connect(service.port, '127.0.0.1');
    halfway.write('GET /livez HTTP/1.1\r\nHo');
    await service.call('/livez');
    const ended = [idle, halfway].map((socket) => {
      socket.on('error', () => undefined);
      return new Promise((resolve) => socket.on('close', resolve));
    });
    await service.server.close();
    expect(await Promise.all(ended)).toHaveLength(2);
  });

  it('can be made to close although a call does not end', async () => {
    const held = service.call(`${path}?project=hold`).catch(() => 'broken off');
    await expect.poll(() => service.engine.runs.length).toBe(1);
    const closing = service.server.close();
    service.server.destroyConnections();
    await closing;
    expect(await held).toBe('broken off');
  });
});

describe('the list of functions', () => {
  it('names every function that a query may call, for each token that may query', async () => {
    const response = await service.call('/api/functions', { token: 'limited-token' });
    expect(response.status).toBe(200);
    const { functions }: { readonly functions: readonly { readonly name: string }[] } = JSON.parse(
      await response.text(),
    );
    const names = functions.map(({ name }) => name);
    const callable = [...functionCatalogue.keys()].filter((name) => !name.startsWith('$'));
    expect(names).toEqual(callable.map((name) => name.toUpperCase()).sort());
    expect(functions).toContainEqual({
      name: 'SAFE_DIVIDE',
      kind: 'scalar',
      signatures: ['SAFE_DIVIDE(x FLOAT64, y FLOAT64) → FLOAT64'],
      description: expect.any(String),
      example: expect.stringMatching(/^SELECT /),
    });
    expect((await service.call('/api/functions', { token: 'ingest-token' })).status).toBe(403);
  });
});

describe('sending events', () => {
  const event = '{"event_message":"x"}';
  const type = { 'content-type': 'application/json' };

  it.each(['/api/logs', '/logs', '/api/events'])('stores a POST of %s', async (events) => {
    const response = await service.call(`${events}?source_name=edge_logs&strict=true`, {
      method: 'POST',
      body: event,
      headers: { ...type, 'idempotency-key': 'k1', 'x-source': 'edge_logs' },
      token: 'source-token',
    });
    expect([response.status, await response.json()]).toEqual([200, { message: 'Logged!', accepted: 1, rejected: [] }]);
    expect(service.batches).toMatchObject([{ source: 'edge_logs', events: [{ eventMessage: 'x' }] }]);
  });

  it('needs a right to the source', async () => {
    const send = (token: string) =>
      service.call('/api/logs?source=auth_logs', { method: 'POST', body: event, headers: type, token });
    expect((await send('query-token')).status).toBe(403);
    expect((await send('source-token')).status).toBe(403);
    expect((await send('ingest-token')).status).toBe(200);
  });

  it.each([
    ['?source=no_such', {}, 404, 'source.unknown'],
    ['', {}, 400, 'source.missing'],
    ['?source=edge_logs', { 'x-source': 'auth_logs' }, 400, 'source.ambiguous'],
    ['?source=edge_logs&source_name=auth_logs', {}, 400, 'source.ambiguous'],
    ['?source=edge_logs&strict=yes', {}, 400, 'parameter.invalid'],
    ['?source=edge_logs&strict=true&strict=false', {}, 400, 'parameter.invalid'],
    ['?source=edge_logs', { 'content-type': 'text/csv' }, 415, 'request.unsupported_media_type'],
    ['?source=edge_logs', { 'content-encoding': 'lzma' }, 415, 'request.unsupported_encoding'],
    ['?source=%ff', {}, 400, 'request.malformed'],
  ])('refuses %s with %j: %s %s', async (query, headers, status, code) => {
    const init = { method: 'POST', body: event, headers: { ...type, ...headers }, token: 'ingest-token' };
    const response = await service.call(`/api/logs${query}`, init);
    expect([response.status, (await bodyOf(response)).code]).toEqual([status, code]);
    expect(service.batches).toHaveLength(0);
  });
});
