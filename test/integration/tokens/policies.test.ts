import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { alder, plainEvents } from '../tenants/tenantEvents.ts';
import { manage, tokenWith } from './tokenCalls.ts';

const now = at('2026-05-01T12:34:56.789Z');
const cachedId = '00000000-0000-4000-8000-000000000031';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now, settings: { trustedProxies: '127.0.0.1/32' } });
  for (const [stream, events] of plainEvents(alder, now, 9)) await service.send(stream, events);
  await service.define({
    id: cachedId,
    name: 'cached.rows',
    query: 'with edge as (select id, timestamp from sources.edge_logs) select id, @tier as tier from edge order by id',
    parameters: { tier: { type: 'string' } },
    cache_seconds: 600,
    sandbox: true,
  });
});
afterAll(() => service.close());

const ask = (token: string, parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  service.call('cached.rows', parameters, { headers: { 'x-api-key': token, ...headers } });

describe('a token that may not send queries of its own', () => {
  it('calls stored queries only, in neither language its own, not even dry', async () => {
    const token = await tokenWith(service, { caller_queries: false }, ['query', 'query:explain']);
    expect((await ask(token, {})).status).toBe(200);
    for (const parameters of [{ sql: 'select 1 as x' }, { lql: 'f:edge' }, { sql: 'select 1', dry_run: 'true' }]) {
      const { status, body } = await ask(token, parameters as Record<string, string>);
      expect([status, body.code]).toEqual([403, 'auth.caller_query']);
    }
  });
});

describe('a token that is kept to some values of a parameter', () => {
  it('must name one of them', async () => {
    const token = await tokenWith(service, { parameters: { tier: ['FREE', 'PRO'] } });
    expect((await ask(token, { tier: 'PRO' })).body.result[0]).toMatchObject({ tier: 'PRO' });
    for (const parameters of [{}, { tier: '' }, { tier: 'pro' }, { tier: 'ENTERPRISE' }]) {
      const { status, body } = await ask(token, parameters as Record<string, string>);
      expect([status, body.code]).toEqual([403, 'parameter.locked']);
      expect(body.detail).toContain('FREE, PRO');
    }
  });
});

describe('a token that is strict', () => {
  it('is told of parameters that do not exist as of errors', async () => {
    const token = await tokenWith(service, { strict_parameters: true });
    expect((await ask(token, { teir: 'PRO' })).body.code).toBe('parameter.unknown');
    expect((await ask(service.adminToken, { teir: 'PRO' })).status).toBe(200);
  });
});

describe('results in the cache', () => {
  it('are shared by tokens that are shown the same, and by no others', async () => {
    const open = await tokenWith(service, {});
    const alike = await tokenWith(service, { rate: { requests: 1000, seconds: 1 }, concurrency: 3 });
    const few = await tokenWith(service, { max_rows: 2 });
    const free = await tokenWith(service, { parameters: { tier: 'FREE' } });
    const outcome = async (token: string, parameters: Record<string, string> = {}) => {
      const { body } = await ask(token, parameters);
      const { outcome: cache } = (body.meta as unknown as { cache: { outcome: string } }).cache;
      return [cache, body.result.length, body.result[0]?.tier, body.meta.truncated];
    };
    expect(await outcome(open, { tier: 'ENTERPRISE' })).toEqual(['miss', 9, 'ENTERPRISE', false]);
    expect(await outcome(alike, { tier: 'ENTERPRISE' })).toEqual(['hit', 9, 'ENTERPRISE', false]);
    expect(await outcome(few, { tier: 'ENTERPRISE' })).toEqual(['miss', 2, 'ENTERPRISE', true]);
    expect(await outcome(open, { tier: 'FREE' })).toEqual(['miss', 9, 'FREE', false]);
    // What a lock binds is what another token asks for by name.
    expect(await outcome(free)).toEqual(['hit', 9, 'FREE', false]);
    expect(await outcome(few, { tier: 'FREE' })).toEqual(['miss', 2, 'FREE', true]);
    expect(await outcome(few, { tier: 'FREE', sql: 'select id from edge limit 5' })).toEqual([
      'miss',
      2,
      undefined,
      true,
    ]);
    expect(await outcome(open, { tier: 'FREE', sql: 'select id from edge limit 5' })).toEqual([
      'miss',
      5,
      undefined,
      false,
    ]);
  });
});

describe('a token with a rate of its own', () => {
  it('is refused with 429 beyond it, and others are not', async () => {
    const token = await tokenWith(service, { rate: { requests: 2, seconds: 10 } });
    const first = await ask(token, {});
    expect([first.headers.get('ratelimit-policy'), first.headers.get('ratelimit')]).toEqual([
      '"own";q=2;w=10',
      '"own";r=1;t=5',
    ]);
    await ask(token, {});
    const refused = await ask(token, {});
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'request.rate_limited',
      '5',
    ]);
    expect((await ask(await tokenWith(service, {}), {})).headers.get('ratelimit')).toBeNull();
    service.clock.advanceMs(5000);
    expect((await ask(token, {})).status).toBe(200);
  });
});

describe('a token that is restricted to networks', () => {
  const metrics = (token: string, forwarded?: string | readonly string[]) =>
    new Promise<number>((resolve, reject) => {
      const headers = { 'x-api-key': token, ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }) };
      const sent = request(
        `${service.url}/api/endpoints/query/cached.rows`,
        { headers: headers as never },
        (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0));
        },
      );
      sent.on('error', reject);
      sent.end();
    });

  it('is refused from elsewhere, whatever the call, and nothing of its rate is used up', async () => {
    const token = await tokenWith(service, { networks: ['192.0.2.0/24'], rate: { requests: 1, seconds: 60 } });
    const calls: (string | readonly string[] | undefined)[] = [
      undefined,
      '203.0.113.9',
      '192.0.2.7, 203.0.113.9',
      ['192.0.2.7', '203.0.113.9'],
      'unknown',
      '192.0.2.7,',
    ];
    for (const forwarded of calls) expect(await metrics(token, forwarded)).toBe(403);
    expect(await metrics(token, '203.0.113.9, 192.0.2.7')).toBe(200);
    expect(await metrics(token, '192.0.2.7')).toBe(429);
  });

  it('may not manage from elsewhere either', async () => {
    const token = await tokenWith(service, { networks: ['192.0.2.0/24'] }, ['manage']);
    const { status, body } = await manage(service, '/api/tokens', { token });
    expect([status, body.code]).toEqual([403, 'auth.network']);
  });
});

describe('a token that is kept to values of parameters', () => {
  it('does not learn how many events others have', async () => {
    const scopes = ['query', 'observe'];
    const kept = await tokenWith(service, { parameters: { tier: 'FREE' } }, scopes);
    const limited = await tokenWith(service, { max_rows: 1 }, scopes);
    const scrape = async (token: string) =>
      (await fetch(`${service.url}/metrics`, { headers: { 'x-api-key': token } })).status;
    expect([await scrape(kept), await scrape(limited)]).toEqual([403, 200]);
    expect((await service.call('svc.calls', {}, { headers: { 'x-api-key': kept } })).status).toBe(403);
  });
});
