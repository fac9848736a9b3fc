import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { manage, tokenWith } from './tokenCalls.ts';

const now = at('2026-05-01T12:34:56.789Z');

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
});
afterAll(() => service.close());

const post = (path: string, body?: unknown, token?: string) =>
  manage(service, path, { method: 'POST', body, ...(token === undefined ? {} : { token }) });
const calls = async (token: string) =>
  (await service.call('logs.all', { project: 'a' }, { headers: { 'x-api-key': token } })).status;

describe('the management of tokens over HTTP', () => {
  it('makes a token, shows its text once, and lists it without', async () => {
    const made = await post('/api/tokens', {
      description: 'dashboard',
      scopes: ['query'],
      expires_at: '2026-06-01T00:00:00+02:00',
      restrictions: { projects: ['a'], parameters: { project: 'a', fill: ['zero'] }, networks: ['127.0.0.1'] },
    });
    expect(made.status).toBe(201);
    const { token, notices, ...view } = made.body;
    expect(notices).toEqual([]);
    expect(token).toMatch(/^lm_[0-9A-Za-z]{50}$/);
    expect(view).toEqual({
      id: token.slice(3, 15),
      description: 'dashboard',
      scopes: ['query'],
      restrictions: { projects: ['a'], parameters: { fill: 'zero', project: 'a' }, networks: ['127.0.0.1/32'] },
      state: 'live',
      configured_by: null,
      created_at: '2026-05-01T12:34:56.789Z',
      expires_at: '2026-05-31T22:00:00.000Z',
      last_used_at: null,
      revoked_at: null,
      previous_secret_until: null,
    });
    expect(made.headers.get('location')).toBe(`/api/tokens/${view.id}`);
    expect((await manage(service, `/api/tokens/${view.id}`)).body).toEqual(view);
    const listed = await manage(service, '/api/tokens?limit=1000');
    expect(listed.body.result).toContainEqual(view);
    expect(JSON.stringify(listed.body)).not.toContain(token.slice(15, 47));
    expect(JSON.stringify(service.observations)).not.toContain(token.slice(15, 47));
  });

  it('makes a token whose scopes name nothing, and says so', async () => {
    const there = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
    const missing = there.replace('d9', 'e9');
    const scopes = [`query:endpoint:${there}`, `query:endpoint:${missing}`, 'ingest:source:edge_log'];
    const made = await post('/api/tokens', { scopes });
    expect([made.status, made.body.scopes]).toEqual([201, scopes]);
    expect(made.body.notices).toEqual([
      { code: 'scope.endpoint_unknown', message: expect.stringContaining(`no endpoint ${missing}, so `) },
      { code: 'scope.source_unknown', message: expect.stringContaining('Did you mean edge_logs?') },
    ]);
  });

  it('ends a token at once, however often it is asked to', async () => {
    const token = await tokenWith(service, {});
    const path = `/api/tokens/${token.slice(3, 15)}`;
    expect(await calls(token)).toBe(200);
    const revoked = await manage(service, path, { method: 'DELETE' });
    expect([revoked.status, revoked.body.state]).toEqual([200, 'revoked']);
    expect(await calls(token)).toBe(401);
    service.clock.advanceMs(1000);
    expect((await manage(service, path, { method: 'DELETE' })).body).toEqual(revoked.body);
  });

  it('rotates a token; the old secret works on for as long as was asked', async () => {
    const token = await tokenWith(service, {});
    const path = `/api/tokens/${token.slice(3, 15)}/rotate`;
    const rotated = await post(path, { overlap_seconds: 60 });
    expect(rotated.status).toBe(200);
    expect(rotated.body.token.slice(0, 15)).toBe(token.slice(0, 15));
    expect([await calls(token), await calls(rotated.body.token)]).toEqual([200, 200]);
    service.clock.advanceMs(60_000);
    expect([await calls(token), await calls(rotated.body.token)]).toEqual([401, 200]);
    const again = await post(path);
    expect([await calls(rotated.body.token), await calls(again.body.token)]).toEqual([401, 200]);
  });

  it.each<[string, unknown, string]>([
    ['no scope', { scopes: [] }, 'scopes'],
    ['an unknown scope', { scopes: ['qeury'] }, 'query'],
    ['an unknown member', { scopes: ['query'], restriction: {} }, 'restriction'],
    ['an unknown restriction', { scopes: ['query'], restrictions: { project: ['a'] } }, 'project'],
    ['a wrong restriction', { scopes: ['query'], restrictions: { max_rows: 0 } }, 'max_rows'],
    ['an expiry in the past', { scopes: ['query'], expires_at: '2026-05-01T12:34:56Z' }, 'future'],
    ['an expiry without a time', { scopes: ['query'], expires_at: '2026-07-01' }, 'expires_at'],
    ['a token that manages and is locked', { scopes: ['manage'], restrictions: { redact: true } }, 'define'],
    ['no object', ['query'], 'must be a JSON object'],
  ])('refuses %s', async (_, body, names) => {
    const refused = await post('/api/tokens', body);
    expect([refused.status, refused.body.code]).toEqual([422, 'token.invalid']);
    expect(refused.body.detail).toContain(names);
  });

  it('makes no token wider than the one that asks', async () => {
    const maker = await tokenWith(service, { projects: ['a', 'b'], max_rows: 10, networks: ['127.0.0.0/8'] }, [
      'manage',
      'query',
    ]);
    const narrow = { projects: ['a'], max_rows: 5, networks: ['127.0.0.1'] };
    expect((await post('/api/tokens', { scopes: ['query'], restrictions: narrow }, maker)).status).toBe(201);
    for (const [scopes, restrictions, code] of [
      [['query'], { ...narrow, projects: ['c'] }, 'auth.project'],
      [['ingest'], narrow, 'auth.scope'],
      [['query'], { projects: ['a'], networks: ['127.0.0.1'] }, 'auth.scope'],
      [['query'], { ...narrow, networks: ['10.0.0.0/8'] }, 'auth.scope'],
      [['query'], {}, 'auth.scope'],
    ] as const) {
      const refused = await post('/api/tokens', { scopes, restrictions }, maker);
      expect([refused.status, refused.body.code]).toEqual([403, code]);
    }
    // Nor does it see, end or rotate the administrator's.
    const all = (await manage(service, '/api/tokens?state=all&limit=1000')).body.result;
    const seen = (await manage(service, '/api/tokens?state=all&limit=1000', { token: maker })).body.result;
    expect(all.length).toBeGreaterThan(seen.length);
    const adminId = service.adminToken.slice(3, 15);
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await manage(service, `/api/tokens/${adminId}`, { method, token: maker });
      expect([status, body.code]).toEqual([404, 'token.unknown']);
    }
    expect((await post(`/api/tokens/${adminId}/rotate`, undefined, maker)).status).toBe(404);
    expect((await manage(service, '/api/tokens')).status).toBe(200);
  });

  it('needs the scope manage, and gives pages', async () => {
    const token = await tokenWith(service, {}, ['query', 'observe', 'ingest']);
    for (const path of ['/api/tokens', '/api/tokens/aaaaaaaaaaaa', '/api/audit']) {
      expect((await manage(service, path, { token })).body.code).toBe('auth.scope');
    }
    const ids: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 50; pages++) {
      const { body } = await manage(service, `/api/tokens?limit=2&state=all${cursor}`);
      ids.push(...body.result.map(({ id }: { id: string }) => id));
      if (body.next === null) break;
      cursor = `&cursor=${body.next}`;
    }
    const all = (await manage(service, '/api/tokens?state=all&limit=1000')).body.result;
    expect(ids).toEqual(all.map(({ id }: { id: string }) => id));
    expect((await manage(service, '/api/tokens?state=dead')).status).toBe(400);
    expect((await manage(service, '/api/tokens?stat=all')).status).toBe(400);
  });
});

describe('the explanation of a call', () => {
  const explain = async (token: string, body: unknown) =>
    (await post(`/api/tokens/${token.slice(3, 15)}/explain`, body)).body;

  it('says what the call itself would be answered, and runs nothing', async () => {
    const token = await tokenWith(service, { projects: ['a'], parameters: { project: 'a' }, caller_queries: false });
    const cases: [string, Record<string, string>][] = [
      ['logs.all', {}],
      ['logs.all', { project: 'a' }],
      ['logs.all', { project: 'b' }],
      ['logs.all', { iso_timestamp_start: 'yesterday' }],
      ['logs.all', { sql: 'select id from edge_logs' }],
      ['logs.all', { version: '1' }],
      ['logs.all', { dry_run: 'true' }],
      ['logs.none', {}],
      ['functions.invocation-stats', { interval: '1hr' }],
      ['svc.calls', {}],
    ];
    for (const [endpoint, parameters] of cases) {
      const called = await service.call(endpoint, parameters, { headers: { 'x-api-key': token } });
      const before = service.observations.filter(({ kind }) => kind === 'query.ended').length;
      const explained = await explain(token, { endpoint, parameters });
      expect(service.observations.filter(({ kind }) => kind === 'query.ended')).toHaveLength(before);
      expect([explained.status, explained.code], endpoint).toEqual([called.status, called.body.code ?? null]);
      const refusing = explained.rules.filter(({ outcome }: { outcome: string }) => outcome === 'refused');
      expect(refusing.map(({ why }: { why: string }) => why)).toEqual(
        called.status === 200 ? [] : [called.body.detail],
      );
    }
  });

  it('looks at the network where an address is given, and at the end of the token', async () => {
    const token = await tokenWith(service, { networks: ['192.0.2.0/24'] });
    const call = { endpoint: 'logs.all', parameters: { project: 'a' } };
    expect((await explain(token, call)).outcome).toBe('allowed');
    expect((await explain(token, { ...call, address: '192.0.2.7' })).outcome).toBe('allowed');
    expect(await explain(token, { ...call, address: '203.0.113.9' })).toMatchObject({
      status: 403,
      code: 'auth.network',
    });
    expect((await explain(token, { ...call, address: 'here' })).code).toBe('token.invalid');
    await manage(service, `/api/tokens/${token.slice(3, 15)}`, { method: 'DELETE' });
    const { status, rules } = await explain(token, call);
    expect([status, rules[0], rules[1].outcome]).toEqual([
      401,
      { rule: 'token', outcome: 'refused', why: 'The token is revoked.' },
      'not_reached',
    ]);
  });
});

describe('the audit trail', () => {
  it('holds what was done to endpoints, their results and running queries', async () => {
    const created = await post('/api/endpoints', { name: 'audited.rows', query: 'select 1 as n' });
    expect(created.status).toBe(201);
    const { id } = created.body.endpoint;
    await post(`/api/endpoints/${id}/purge`);
    await manage(service, `/api/endpoints/${id}?allow_breaking=true`, { method: 'DELETE' });
    await post(`/api/endpoints/${id}/purge`);
    const entries = (await manage(service, '/api/audit?limit=1000')).body.result;
    const ofEndpoint = entries.filter(({ target }: { target: string }) => target === id);
    expect(
      ofEndpoint.map(({ actor, action, version }: Record<string, unknown>) => [actor, action, version]).reverse(),
    ).toEqual([
      [service.adminToken.slice(3, 15), 'endpoint.create', 1],
      [service.adminToken.slice(3, 15), 'cache.purge', null],
      [service.adminToken.slice(3, 15), 'endpoint.delete', expect.anything()],
    ]);
  });

  it('holds what was done to tokens, and refused calls by the minute', async () => {
    const token = await tokenWith(service, { projects: ['a'] }, ['query', 'manage']);
    const id = token.slice(3, 15);
    const admin = service.adminToken.slice(3, 15);
    for (let i = 0; i < 20; i++) {
      await service.call('logs.all', { project: 'b' }, { headers: { 'x-api-key': token } });
      await service.call('logs.all', {}, { headers: { 'x-api-key': `lm_${'x'.repeat(50)}` } });
    }
    const made = await post('/api/tokens', { scopes: ['query'], restrictions: { projects: ['a'] } }, token);
    const entries = async (query: string, by?: string) =>
      (await manage(service, `/api/audit?limit=1000${query}`, by === undefined ? {} : { token: by })).body.result;
    const [last] = (await entries('')).filter(({ action }: { action: string }) => action !== 'call.refused');
    expect(last).toMatchObject({ actor: id, action: 'token.create', target: made.body.id, count: 1 });
    expect((await entries('')).find(({ target }: { target: string }) => target === id)).toMatchObject({
      actor: admin,
      action: 'token.create',
      request_id: expect.stringMatching(/^[\w-]{36}$/),
    });
    // Minutes that are over are counted in one entry each.
    service.clock.advanceMs(60_000);
    const refused = (await entries('')).filter(({ action }: { action: string }) => action === 'call.refused');
    const countOf = (who: string, code: string) =>
      refused
        .filter((each: { actor: string; code: string }) => each.actor === who && each.code === code)
        .reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    expect([countOf(id, 'auth.project'), countOf('unknown', 'auth.invalid')]).toEqual([20, 0]);
    expect(refused.length).toBeLessThan(40);
    // A token of some projects sees what it did itself.
    const own = await entries('', token);
    expect(own.length).toBeGreaterThan(0);
    expect(new Set(own.map(({ actor }: { actor: string }) => actor))).toEqual(new Set([id]));
    expect(await entries(`&actor=${admin}`, token)).toEqual([]);
    expect(await entries(`&actor=${id}`)).toEqual(own);
    expect(JSON.stringify(await entries(''))).not.toContain(token.slice(15, 47));
  });
});
