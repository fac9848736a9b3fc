import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serviceProject } from '../../../src/sources/serviceCalls.ts';
import { restrictedTo } from '../../../src/tokens/restrictions.ts';
import { type Answer, type AnswerBody, startWholeService, type WholeService } from '../../support/wholeService.ts';

const nowMicros = Date.UTC(2026, 4, 1, 12) * 1000;
const counts = 'usage.api-counts';
/** As `Clock` tells the time of every call. */
const at = '2026-05-01T12:00:00.000000Z';

let service: WholeService;
/** With every scope that could matter. */
let observer: string;
let alice: string;
let bob: string;
/** What alice was answered with. */
let rows: Answer;
beforeAll(async () => {
  // Every call counts as slow, so that svc.slow has rows without anything slow.
  service = await startWholeService({ nowMicros, settings: { slowQueryMs: 1 } });
  observer = await service.makeToken(['observe']);
  alice = await service.makeToken(['query']);
  bob = await service.makeToken(['query']);
  await service.send('edge_logs', [
    { project: 'p', event_message: 'one' },
    { project: 'p', event_message: 'two' },
  ]);
  rows = await service.call('logs.all', { project: 'p' }, withToken(alice));
  await service.call('logs.all', {}, withToken(alice));
  await service.call('logs.all', { project: 'p', sql: 'select count(*) as n from edge_logs' }, withToken(bob));
  for (let n = 0; n < 3; n++) await service.call(counts, { interval: 'hourly', project: 'p' }, withToken(bob));
  await service.call('no.such.endpoint', {}, withToken(bob));
  const draft = await fetch(`${service.url}/api/endpoints/run`, {
    method: 'POST',
    headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({ definition: { name: 'a.draft', query: 'select 1 as a' } }),
  });
  expect(draft.status).toBe(200);
  await eventually(
    () => observed('svc.calls', { token: publicId(bob) }),
    ({ body }) => expect(body.result.reduce((sum, { calls }) => sum + Number(calls), 0)).toBe(5),
  );
});
afterAll(async () => {
  await service.close();
});

const publicId = (token: string) => token.slice(3, 15);
const withToken = (token: string) => ({ headers: { 'x-api-key': token } });
const observed = (idOrName: string, parameters: Readonly<Record<string, string>> = {}) =>
  service.call(idOrName, parameters, withToken(observer));

/** The answer as soon as it passes; a call is counted when its connection has let go of it, a moment after its answer. */
function eventually(ask: () => Promise<Answer>, check: (answer: Answer) => void): Promise<void> {
  return vi.waitFor(async () => check(await ask()), { timeout: 60_000, interval: 10 });
}

describe('usage', () => {
  it('shows calls, errors, times, rows, bytes and cache outcomes of each endpoint and token', async () => {
    await eventually(
      () => observed('svc.calls'),
      ({ status, body }) => {
        expect(status).toBe(200);
        const ours = body.result.filter(({ token }) => token === publicId(alice) || token === publicId(bob));
        const none = { errors: 0, server_errors: 0, cache_hits: 0, cache_misses: 0, cache_stale: 0, caller_queries: 0 };
        expect(ours).toHaveLength(4);
        expect(body.result.some(({ endpoint }) => endpoint === 'a.draft')).toBe(false);
        expect(ours).toEqual(
          expect.arrayContaining([
            expect.objectContaining({
              ...none,
              endpoint: 'logs.all',
              token: publicId(alice),
              calls: 2,
              errors: 1,
              row_count: 2,
              bytes: Buffer.byteLength(rows.text),
              last_call: at,
            }),
            expect.objectContaining({
              ...none,
              endpoint: 'logs.all',
              token: publicId(bob),
              calls: 1,
              caller_queries: 1,
              row_count: 1,
            }),
            expect.objectContaining({
              ...none,
              endpoint: counts,
              token: publicId(bob),
              calls: 3,
              cache_hits: 2,
              cache_misses: 1,
            }),
            expect.objectContaining({
              ...none,
              endpoint: null,
              endpoint_id: null,
              token: publicId(bob),
              calls: 1,
              errors: 1,
            }),
          ]),
        );
        for (const { p50_ms, p95_ms, p99_ms, max_ms } of ours) {
          const times = [p50_ms, p95_ms, p99_ms, max_ms].map(Number);
          expect(times.every((ms) => ms > 0)).toBe(true);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
        }
      },
    );
  });

  it('narrows by token, endpoint by name or ID, and time', async () => {
    const only = async (parameters: Readonly<Record<string, string>>) =>
      (await observed('svc.calls', parameters)).body.result.map(({ endpoint, token }) => [endpoint, token]);
    expect(await only({ token: publicId(alice) })).toEqual([['logs.all', publicId(alice)]]);
    expect(await only({ endpoint: counts })).toEqual([[counts, publicId(bob)]]);
    expect(await only({ endpoint: '237F3997-C471-488D-AF16-2DC9A4CDA4A0' })).toEqual([[counts, publicId(bob)]]);
    expect(await only({ iso_timestamp_start: at })).toEqual([]);
    expect(await only({ iso_timestamp_end: '2026-05-01T11:59:59Z' })).toEqual([]);
  });

  it('holds its events for a project that no token can be restricted to', () => {
    expect(() => restrictedTo([serviceProject])).toThrow(/without control characters/);
  });

  it('takes queries of the observer over its table, and no other', async () => {
    const sum = await observed('svc.calls', {
      sql: `select sum(calls) as calls from usage where token = '${publicId(bob)}' and status = 200`,
    });
    expect(sum.body.result).toEqual([{ calls: 4 }]);
    for (const table of ['edge_logs', 'sources.svc_calls', 'sources.edge_logs', 'slow']) {
      expect(await observed('svc.calls', { sql: `select * from ${table}` })).toMatchObject({
        status: 403,
        body: { code: 'sandbox.table' },
      });
    }
  });

  it('shows each slow call with the stages that it went through, newest first', async () => {
    const answer = await service.call(
      'logs.all',
      { project: 'p' },
      {
        headers: {
          'x-api-key': alice,
          'x-request-id': 'slow-one',
          traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        },
      },
    );
    expect(answer.status).toBe(200);
    await eventually(
      () => observed('svc.slow', { token: publicId(alice) }),
      ({ body }) => {
        const row = body.result.find(({ request_id }) => request_id === 'slow-one');
        expect(row).toMatchObject({
          endpoint: 'logs.all',
          status: 200,
          code: null,
          trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
          row_count: 2,
          stages_ms: { find: expect.any(Number), run: expect.any(Number), shape: expect.any(Number) },
        });
      },
    );
    expect(service.observations).toContainEqual(
      expect.objectContaining({
        kind: 'call.slow',
        requestId: 'slow-one',
        trace: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true },
        call: expect.objectContaining({ token: publicId(alice), rowCount: 2 }),
      }),
    );
  });
});

/** What a refusal offers instead of what was asked for. */
const namedIn = ({ errors }: AnswerBody) => JSON.stringify(errors.map(({ allowed, nearest }) => [allowed, nearest]));

describe('the source of usage', () => {
  it('is unknown to whoever sends events, and not named to them', async () => {
    for (const source of ['svc_calls', 'sources.svc_calls', 'SVC_CALLS']) {
      const response = await fetch(`${service.url}/api/logs?source=${source}`, {
        method: 'POST',
        headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
        body: JSON.stringify([{ project: 'p', event_message: 'forged' }]),
      });
      const problem = (await response.json()) as AnswerBody;
      expect(problem.code).toBe('source.unknown');
      expect(namedIn(problem)).not.toContain('svc_calls');
    }
  });

  it.each(['logs.all', counts, 'functions.invocation-stats'])('is no table for callers of %s', async (endpoint) => {
    for (const table of ['svc_calls', 'usage', 'sources.svc_calls', '`sources.svc_calls`']) {
      const answer = await service.call(endpoint, { project: 'p', interval: 'hourly', sql: `select * from ${table}` });
      expect(answer).toMatchObject({ status: 403, body: { code: 'sandbox.table' } });
      expect(namedIn(answer.body)).not.toContain('svc_calls');
    }
  });

  it('is unknown to stored queries', async () => {
    for (const table of ['svc_callz', 'svc_calls']) {
      await service.define({ id: randomUUID(), name: `spy.${table}`, query: `select token from sources.${table}` });
      const answer = await service.call(`spy.${table}`, {});
      expect(answer).toMatchObject({ status: 400, body: { code: 'sql.unknown_name' } });
      expect(namedIn(answer.body)).not.toContain('svc_calls');
    }
  });
});

describe('who reads usage', () => {
  const names = [
    'svc.calls',
    'svc.slow',
    'cfee81bc-c614-4c21-aff5-62da7df0e53d',
    'd6e5c711-5991-4875-83b7-1f37710e55f6',
  ];

  it.each(names)('%s is unknown to a token without observe, and not suggested to it', async (endpoint) => {
    const exact = await service.call(endpoint, {}, withToken(alice));
    expect(exact).toMatchObject({ status: 404, body: { code: 'endpoint.unknown' } });
    expect(exact.body.errors[0]?.nearest).toBeUndefined();
    const near = await service.call(`${endpoint.slice(0, -1)}x`, {}, withToken(alice));
    expect(near.text).not.toContain(endpoint);
    const ofOne = await service.makeToken([`query:endpoint:${names[2]}`]);
    expect(await service.call(endpoint, {}, withToken(ofOne))).toMatchObject({ status: 404 });
  });

  it.each(names)('%s is unknown to a token that is restricted to projects, observe or not', async (endpoint) => {
    const restricted = await service.makeToken(['query', 'observe'], ['p']);
    expect(await service.call(endpoint, {}, withToken(restricted))).toMatchObject({ status: 404 });
  });

  it('a token with observe alone reads it, and nothing else', async () => {
    expect(await observed('svc.calls')).toMatchObject({ status: 200 });
    for (const endpoint of ['logs.all', counts, 'no.such']) {
      expect(await observed(endpoint, { project: 'p', interval: 'hourly' })).toMatchObject({
        status: 403,
        body: { code: 'auth.scope' },
      });
    }
  });
});

describe('a change of endpoints', () => {
  const manage = async (method: string, path: string, body: object) => {
    const response = await fetch(`${service.url}/api/endpoints${path}`, {
      method,
      headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as AnswerBody & ChangeBody };
  };
  interface ChangeBody {
    readonly endpoint: { readonly id: string };
    readonly callers: readonly { readonly token: string; readonly calls: number; readonly last_call: string }[] | null;
  }

  it('cannot give an endpoint a name of those that read usage', async () => {
    const definition = { name: 'svc.calls', query: 'select 1 as a' };
    const refused = await manage('POST', '', definition);
    expect(refused).toMatchObject({ status: 422, body: { code: 'definition.invalid' } });
    expect(refused.body.detail).toContain('must not begin with svc.');
    const created = await manage('POST', '', { ...definition, name: 'almost.svc.calls' });
    expect(created.status).toBe(201);
    expect(
      await manage('PATCH', `/${created.body.endpoint.id}?allow_breaking=true`, { name: 'svc.mine' }),
    ).toMatchObject({
      status: 422,
      body: { code: 'definition.invalid' },
    });
  });

  it('names the tokens that called the endpoint in the last 30 days, refused or tried out', async () => {
    const created = await manage('POST', '', { name: 'told.of.callers', query: 'select 1 as a, 2 as b' });
    expect(created).toMatchObject({ status: 201, body: { callers: null } });
    const { id } = created.body.endpoint;
    const fewer = { query: 'select 1 as a' };
    const unused = await manage('PATCH', `/${id}`, fewer);
    expect(unused.body.detail).toContain('No token called it in the last 30 days.');
    expect(unused.body.errors).toMatchObject([{ rule: 'column.removed', callers: [] }]);

    for (let n = 0; n < 2; n++) await service.call(id, {}, withToken(alice));
    await service.call('told.of.callers', {}, withToken(bob));
    const callers = [
      { token: publicId(alice), description: null, calls: 2, last_call: expect.stringMatching(/^2026-05-01T12:/) },
      { token: publicId(bob), description: null, calls: 1, last_call: expect.stringMatching(/^2026-05-01T12:/) },
    ];
    await expect
      .poll(async () => await manage('PATCH', `/${id}?dry_run=true`, fewer))
      .toMatchObject({ status: 200, body: { callers } });
    const refused = await manage('PATCH', `/${id}`, fewer);
    expect(refused).toMatchObject({ status: 409, body: { code: 'definition.breaking' } });
    expect(refused.body.detail).toContain(
      `Tokens that called it in the last 30 days: ${publicId(alice)} (2 calls), ${publicId(bob)} (1 call).`,
    );
    expect(refused.body.errors).toMatchObject([{ callers: [publicId(alice), publicId(bob)] }]);
    expect(await manage('PATCH', `/${id}`, { description: 'breaks nobody' })).toMatchObject({
      status: 200,
      body: { callers: null },
    });
    service.clock.advanceMs(31 * 24 * 3_600_000);
    expect((await manage('PATCH', `/${id}`, fewer)).body.detail).toContain('No token called it in the last 30 days.');
  });
});
