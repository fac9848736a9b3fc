import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { RepeatedCalls } from '../../../src/http/repeatedCalls.ts';
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

const path = '/api/endpoints/query/example.cached';
const outage = new ServiceError('engine.failed', 'The query engine failed.');

interface CallOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string;
}

/** Status, the caching headers, and what `meta` says. */
async function ask(query = '?project=p', options: CallOptions = {}) {
  const response = await service.call(`${path}${query}`, options);
  const text = await response.text();
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    text,
    cacheStatus: header('cache-status'),
    age: header('age'),
    cacheControl: header('cache-control'),
    etag: header('etag'),
    headers: response.headers,
    body: text === '' ? null : JSON.parse(text),
  };
}

const outcomes = () =>
  service.observations.flatMap((observation) => (observation.kind === 'cache.answered' ? [observation.outcome] : []));

describe('an endpoint that caches', () => {
  it('runs once, then answers from the cache for cache_seconds and says so in every place', async () => {
    const first = await ask();
    expect(first).toMatchObject({
      status: 200,
      cacheStatus: 'Logmill; fwd=miss; stored',
      age: null,
      cacheControl: 'private, max-age=60',
    });
    expect(first.body.meta.cache).toEqual({ outcome: 'miss', as_of: '2026-05-01T00:00:00.000000Z' });
    service.clock.advanceMs(20_500);
    const second = await ask();
    expect(second).toMatchObject({
      status: 200,
      cacheStatus: 'Logmill; hit; ttl=40',
      age: '20',
      cacheControl: 'private, max-age=60',
      etag: first.etag,
    });
    expect(second.body.meta.cache).toEqual({ outcome: 'hit', as_of: '2026-05-01T00:00:00.000000Z' });
    expect(second.body.result).toEqual(first.body.result);
    expect(second.body.meta.request_id).not.toBe(first.body.meta.request_id);
    service.clock.advanceMs(39_500);
    expect(await ask()).toMatchObject({ cacheStatus: 'Logmill; fwd=stale; stored' });
    expect(service.engine.runs).toHaveLength(2);
    expect(outcomes()).toEqual(['miss', 'hit', 'miss']);
  });

  it('has one result for every spelling of a call, and tells each caller of its own parameters', async () => {
    await ask();
    const spellings: readonly [string, CallOptions][] = [
      ['?project=p&n=&tier=', {}],
      ['?tier=&project=%70', { token: 'other-query-token' }],
      ['', { method: 'POST', body: '{"project":"p"}', headers: { 'content-type': 'application/json' } }],
      ['', { method: 'POST', body: 'project=p', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ];
    for (const [query, options] of spellings) {
      expect((await ask(query, options)).body.meta.cache.outcome, query).toBe('hit');
    }
    const byId = await service.call(`/api/endpoints/query/${endpoints.cached.id}?project=p`);
    expect((await bodyOf(byId)).meta.cache.outcome).toBe('hit');
    const withUnknown = await ask('?project=p&ref=x');
    expect(withUnknown.body.meta).toMatchObject({
      cache: { outcome: 'hit' },
      notices: [{ code: 'parameter.unknown', parameter: 'ref' }],
    });
    expect(service.engine.runs).toHaveLength(1);
  });

  it.each(['?project=q', '?project=p&n=1', '?project=p&sql=select+1', '?project=p&lql=select+1'])(
    'has a result of its own for %s',
    async (query) => {
      await ask();
      expect((await ask(query)).body.meta.cache.outcome).toBe('miss');
      expect((await ask(query)).body.meta.cache.outcome).toBe('hit');
      expect(service.engine.runs).toHaveLength(2);
    },
  );

  it('never keeps the result of a query that differs each time', async () => {
    for (let n = 0; n < 2; n++) {
      expect(await ask('?project=p&sql=select+generate_uuid()')).toMatchObject({
        cacheStatus: 'Logmill; fwd=bypass',
        cacheControl: 'private, no-cache',
      });
    }
    expect(service.engine.runs).toHaveLength(2);
  });

  it('never keeps an error', async () => {
    for (let n = 0; n < 2; n++) expect(await ask('?project=divide')).toMatchObject({ status: 400, cacheStatus: null });
    expect(service.engine.runs).toHaveLength(2);
  });

  it('runs once for 100 identical calls at one time, whoever makes them', async () => {
    const calls = Array.from({ length: 100 }, async (_, n) =>
      ask('?project=hold', { token: n % 2 === 0 ? 'query-token' : 'other-query-token' }),
    );
    await expect.poll(() => service.engine.runs.length).toBe(1);
    await ask('?project=other');
    service.engine.releaseAll();
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ cacheStatus }) => cacheStatus === 'Logmill; fwd=miss; stored')).toHaveLength(1);
    const others = answers.filter(({ cacheStatus }) => cacheStatus !== 'Logmill; fwd=miss; stored');
    for (const { cacheStatus, age } of others) {
      expect([cacheStatus, age]).toEqual([expect.stringMatching(/; collapsed$|; hit; ttl=60$/), '0']);
    }
    expect(service.engine.runs).toHaveLength(2);
  });

  it('does not end a run that others wait for when one caller leaves, and ends it when the last one has', async () => {
    const leaving = [new AbortController(), new AbortController()];
    const calls = leaving.map(({ signal }) =>
      service.call(`${path}?project=hold`, { signal }).catch((error: unknown) => (error as Error).name),
    );
    await expect.poll(() => service.engine.runs.length).toBe(1);
    // The second call has joined once it has been answered for something else on the same connection order.
    await ask('?project=other');
    leaving[0]?.abort();
    expect(await calls[0]).toBe('AbortError');
    await ask('?project=another');
    expect(service.engine.runs[0]?.signal.aborted).toBe(false);
    leaving[1]?.abort();
    expect(await calls[1]).toBe('AbortError');
    await expect.poll(() => service.engine.runs[0]?.signal.aborted).toBe(true);
  });
});

describe('a request that demands freshness', () => {
  it('forces a run with no-cache and the scope query:fresh', async () => {
    await ask();
    const forced = await ask('?project=p', { token: 'fresh-token', headers: { 'cache-control': 'no-cache' } });
    expect(forced.cacheStatus).toBe('Logmill; fwd=request; stored');
    expect(forced.body.meta.cache.outcome).toBe('refresh');
    expect(service.engine.runs).toHaveLength(2);
  });

  it.each(['no-cache', 'max-age=0', 'NO-CACHE, max-age=5'])(
    'gives what is there, and a notice, for %s without that scope',
    async (directive) => {
      await ask();
      const answer = await ask('?project=p', { headers: { 'cache-control': directive } });
      expect(answer.body.meta).toMatchObject({
        cache: { outcome: 'hit' },
        notices: [{ code: 'cache.no_cache_ignored' }],
      });
      expect(service.engine.runs).toHaveLength(1);
    },
  );

  it('takes only younger results with max-age', async () => {
    await ask();
    service.clock.advanceMs(10_000);
    expect((await ask('?project=p', { headers: { 'cache-control': 'max-age=11' } })).cacheStatus).toBe(
      'Logmill; hit; ttl=50',
    );
    expect((await ask('?project=p', { headers: { 'cache-control': 'max-age=10' } })).cacheStatus).toBe(
      'Logmill; fwd=request; stored',
    );
    expect((await ask()).age).toBe('0');
  });

  it('says that a max-age which is no number was ignored', async () => {
    const answer = await ask('?project=p', { headers: { 'cache-control': 'max-age=soon' } });
    expect(answer.body.meta.notices).toMatchObject([{ code: 'cache.max_age_ignored' }]);
  });

  it('runs nothing with only-if-cached', async () => {
    const only = { headers: { 'cache-control': 'only-if-cached' } };
    expect(await ask('?project=p', only)).toMatchObject({ status: 504, body: { code: 'cache.only_if_cached' } });
    expect(service.engine.runs).toHaveLength(0);
    await ask();
    expect((await ask('?project=p', only)).cacheStatus).toBe('Logmill; hit; ttl=60');
    const uncached = await service.call('/api/endpoints/query/example.rows?project=p', only);
    expect([uncached.status, (await bodyOf(uncached)).code]).toEqual([504, 'cache.only_if_cached']);
    service.clock.advanceMs(60_000);
    expect((await ask('?project=p', only)).status).toBe(504);
  });
});

describe('a purge', () => {
  const purge = (id: string, token = 'manager-token') =>
    service.call(`/api/endpoints/${id}/purge`, { method: 'POST', token });

  it('drops what is cached of one endpoint, and what is being run for it', async () => {
    await ask();
    await ask('?project=q');
    const held = ask('?project=hold');
    await expect.poll(() => service.engine.runs.length).toBe(3);
    const response = await purge(endpoints.cached.id.toUpperCase());
    expect([response.status, await response.json()]).toEqual([200, { purged: 2 }]);
    expect(await ask()).toMatchObject({ cacheStatus: 'Logmill; fwd=miss; stored' });
    const after = ask('?project=hold');
    await expect.poll(() => service.engine.runs.length).toBe(5);
    service.engine.releaseAll();
    expect((await held).cacheStatus).toBe('Logmill; fwd=miss');
    expect((await after).cacheStatus).toBe('Logmill; fwd=miss; stored');
    expect(service.observations).toContainEqual({ kind: 'cache.evicted', reason: 'purge', entries: 2 });
  });

  it('needs the scope manage, and an endpoint that there is', async () => {
    const refused = await purge(endpoints.cached.id, 'fresh-token');
    expect([refused.status, (await bodyOf(refused)).code]).toEqual([403, 'auth.scope']);
    const unknown = await purge('99999999-9999-4999-8999-999999999999');
    expect([unknown.status, (await bodyOf(unknown)).code]).toEqual([404, 'endpoint.unknown']);
  });
});

describe('an entity tag', () => {
  it('stands for the rows and the profile', async () => {
    const plain = await ask();
    expect(plain.etag).toMatch(/^W\/"[\w-]+\.plain"$/);
    expect((await ask('?project=q')).etag).not.toBe(plain.etag);
    expect((await ask('?project=p', { headers: { 'svc-endpoint-values': 'records' } })).etag).toMatch(/\.records"$/);
    const uncached = await service.call('/api/endpoints/query/example.rows?project=p');
    await uncached.arrayBuffer();
    expect(uncached.headers.get('etag')).toBe(plain.etag);
  });

  it('stands for what cut the rows as well', async () => {
    expect((await ask('?project=rows-5')).etag).not.toBe((await ask('?project=rows-6')).etag);
    expect((await ask('?project=rows-6')).etag).toMatch(/\.plain\.max_rows"$/);
  });

  it.each([
    ['the tag', (tag: string) => tag],
    ['the strong form of it', (tag: string) => tag.slice(2)],
    ['a list with it', (tag: string) => `"a,b", ${tag}`],
    ['anything', () => '*'],
  ])('answers 304 without a body where If-None-Match is %s', async (_, of) => {
    const first = await ask();
    service.clock.advanceMs(5000);
    const answer = await ask('?project=p', { headers: { 'if-none-match': of(first.etag ?? '') } });
    expect(answer).toMatchObject({
      status: 304,
      text: '',
      etag: first.etag,
      cacheStatus: 'Logmill; hit; ttl=55',
      age: '5',
      cacheControl: 'private, max-age=60',
    });
    expect(answer.headers.get('vary')).toContain('X-API-KEY');
    expect(answer.headers.get('content-type')).toBeNull();
  });

  it('gives the rows where another tag is named, and to a POST', async () => {
    const { etag } = await ask();
    expect((await ask('?project=p', { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    const posted = await ask('?project=p', { method: 'POST', headers: { 'if-none-match': etag ?? '' } });
    expect(posted.status).toBe(200);
  });
});

describe('an engine that fails', () => {
  it('keeps good rows until cache_seconds, then for stale_if_error_seconds and says so, then answers its error', async () => {
    const first = await ask();
    service.engine.failure = outage;
    service.clock.advanceMs(59_000);
    expect((await ask()).cacheStatus).toBe('Logmill; hit; ttl=1');
    service.clock.advanceMs(1000);
    const stale = await ask();
    expect(stale).toMatchObject({
      status: 200,
      cacheStatus: 'Logmill; hit; ttl=0; detail=stale-if-error',
      age: '60',
      etag: first.etag,
    });
    expect(stale.body.meta).toMatchObject({ cache: { outcome: 'stale' }, notices: [{ code: 'cache.stale' }] });
    service.clock.advanceMs(29_999);
    expect((await ask()).cacheStatus).toBe('Logmill; hit; ttl=-29; detail=stale-if-error');
    service.clock.advanceMs(1);
    expect(await ask()).toMatchObject({ status: 502, body: { code: 'engine.failed' } });
    service.engine.failure = new ServiceError('engine.restarting', 'The query engine is being restarted.');
    expect(await ask()).toMatchObject({ status: 503, body: { code: 'engine.restarting' } });
    service.engine.failure = null;
    expect((await ask()).cacheStatus).toBe('Logmill; fwd=stale; stored');
  });

  it('is not hidden from a call that demands freshness, nor is an error of the query itself', async () => {
    await ask();
    service.clock.advanceMs(61_000);
    service.engine.failure = outage;
    expect((await ask('?project=p', { headers: { 'cache-control': 'max-age=61' } })).status).toBe(502);
    const forced = await ask('?project=p', { token: 'fresh-token', headers: { 'cache-control': 'no-cache' } });
    expect(forced.status).toBe(502);
    service.engine.failure = new ServiceError('sql.data', 'Division by zero.');
    expect((await ask()).status).toBe(400);
  });
});

it('holds nothing of answers that were given before events were deleted', async () => {
  const forgotten = vi.spyOn(RepeatedCalls.prototype, 'forgetAll');
  try {
    await ask();
    expect((await ask()).cacheStatus).toContain('hit');
    const deleted = await service.call('/api/projects/p/events', { method: 'DELETE', token: 'manager-token' });
    expect([deleted.status, forgotten.mock.calls.length]).toEqual([202, 1]);
    expect((await ask()).cacheStatus).not.toContain('hit');
  } finally {
    forgotten.mockRestore();
  }
});
