import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
const numbers = 'unnest(generate_array(1, 100000))';
const endless = `select count(*) as n from ${numbers} a cross join ${numbers} b where mod(a * b, 7) = 3`;

interface Outcome {
  readonly status: number;
  readonly code: string | undefined;
}

const outcomeOf = ({ status, body }: Pick<Answer, 'status' | 'body'>): Outcome => ({ status, code: body.code });

const ask = (service: WholeService, parameters: Readonly<Record<string, string>>): Promise<Answer> =>
  service.call('logs.all', { project: 'own', ...parameters }, { method: 'POST' });

async function post(service: WholeService, body: string, token = service.adminToken) {
  const response = await fetch(`${service.url}/api/logs?source=edge_logs`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

const event = (id: string, message = '') => ({ id, timestamp: now, event_message: message, project: 'own' });

describe('limits that are set', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      nowMicros: now,
      settings: {
        resultBytesMax: 1000,
        queryTextBytesMax: 400,
        parameterBytesMax: 30,
        ingestBytesMax: 4000,
        ingestEventsMax: 20,
        eventBytesMax: 300,
      },
    });
    await service.send(
      'edge_logs',
      Array.from({ length: 20 }, (_, i) => event(`e${i}`, 'x'.repeat(40))),
    );
  });
  afterAll(() => service.close());

  it('hold at their value and refuse beyond it, each with its code', async () => {
    const padded = (bytes: number) => 'select 1 as x'.padEnd(bytes, ' ').replace(/ $/, ';');
    const outcomes = {
      'query text at its limit': outcomeOf(await ask(service, { sql: padded(400) })),
      'query text beyond it': outcomeOf(await ask(service, { sql: padded(401) })),
      'LQL beyond it': outcomeOf(await ask(service, { lql: `f:edge_logs ${'x'.repeat(400)}` })),
      'parameter at its limit': outcomeOf(await ask(service, { project: 'p'.repeat(30) })),
      'parameter beyond it': outcomeOf(await ask(service, { project: 'p'.repeat(31) })),
      'body beyond it': outcomeOf(await post(service, JSON.stringify([event('a', 'x'.repeat(4000))]))),
      'too many events': outcomeOf(await post(service, JSON.stringify(Array.from({ length: 21 }, () => ({}))))),
    };
    expect(outcomes).toEqual({
      'query text at its limit': { status: 200, code: undefined },
      'query text beyond it': { status: 400, code: 'sql.too_complex' },
      'LQL beyond it': { status: 400, code: 'sql.too_complex' },
      'parameter at its limit': { status: 200, code: undefined },
      'parameter beyond it': { status: 400, code: 'parameter.too_long' },
      'body beyond it': { status: 413, code: 'request.too_large' },
      'too many events': { status: 413, code: 'ingest.too_many_events' },
    });
  });

  it('cut an answer and say so', async () => {
    const { status, body } = await ask(service, { sql: 'select id, event_message from edge_logs' });
    expect({ status, truncated: body.meta.truncated, by: body.meta.truncated_by }).toEqual({
      status: 200,
      truncated: true,
      by: 'result_bytes',
    });
    expect(body.result.length).toBeGreaterThan(0);
    expect(JSON.stringify(body.result).length).toBeLessThanOrEqual(1000 + '[]'.length);
  });

  it('reject a single event that is too large', async () => {
    const { status, body } = await post(service, JSON.stringify([event('small'), event('large', 'x'.repeat(400))]));
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 1, rejected: [{ index: 1, code: 'event.too_large' }] });
  });
});

it('the time that a query may run holds', async () => {
  // By itself: every other call would have to be answered in that time too.
  const service = await startWholeService({ nowMicros: now, settings: { queryTimeoutMs: 400 } });
  expect(outcomeOf(await ask(service, { sql: endless }))).toEqual({ status: 504, code: 'query.timeout' });
  await service.close();
});

describe('a full queue', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      nowMicros: now,
      settings: { queryTimeoutMs: 60_000, queryConcurrency: 1, queryQueueMax: 1, queryQueueWaitMs: 5000 },
    });
  });
  afterAll(() => service.close());

  it('refuses with 503 and Retry-After, at once where it is full and at its deadline where it is not', async () => {
    const leaving = new AbortController();
    const running = service
      .call('logs.all', { project: 'own', sql: endless }, { method: 'POST', signal: leaving.signal })
      .catch((error: unknown) => error);
    const stagesAre = (...stages: readonly string[]) =>
      expect
        .poll(async () => {
          const response = await fetch(`${service.url}/api/queries`, {
            headers: { 'x-api-key': service.adminToken },
          });
          const { queries } = (await response.json()) as { readonly queries: readonly { readonly stage: string }[] };
          return queries.map(({ stage }) => stage);
        })
        .toEqual(stages);
    await stagesAre('running');
    const waiting = ask(service, { sql: 'select 1 as x' });
    await stagesAre('running', 'waiting');
    const refused = await ask(service, { sql: 'select 2 as x' });
    expect(outcomeOf(refused)).toEqual({ status: 503, code: 'query.overloaded' });
    // Half of the longest wait.
    expect(refused.headers.get('retry-after')).toBe('3');
    expect(outcomeOf(await waiting)).toEqual({ status: 503, code: 'query.overloaded' });
    leaving.abort();
    await running;
    await stagesAre();
    expect((await ask(service, { sql: 'select 3 as x' })).body.result).toEqual([{ x: 3 }]);
  });
});

describe('requests per token', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({ nowMicros: now, settings: { requestsPerMinute: 6 } });
  });
  afterAll(() => service.close());

  it('are counted over all operations, refused with 429, and allowed again as time passes', async () => {
    const token = await service.makeToken(['query', 'ingest']);
    const call = () =>
      service.call('logs.all', { project: 'own', sql: 'select 1 as x' }, { headers: { 'x-api-key': token } });
    const first = await call();
    expect([first.headers.get('ratelimit-policy'), first.headers.get('ratelimit')]).toEqual([
      '"token";q=6;w=60',
      '"token";r=5;t=10',
    ]);
    expect((await post(service, JSON.stringify([event('a')]), token)).status).toBe(200);
    for (let i = 0; i < 4; i++) expect((await call()).status).toBe(200);
    const refused = await call();
    expect(outcomeOf(refused)).toEqual({ status: 429, code: 'request.rate_limited' });
    expect([refused.headers.get('retry-after'), refused.headers.get('ratelimit')]).toEqual(['10', '"token";r=0;t=10']);
    expect((await post(service, JSON.stringify([event('b')]), token)).status).toBe(429);
    const other = await service.makeToken(['query']);
    expect((await service.call('logs.all', { project: 'own' }, { headers: { 'x-api-key': other } })).status).toBe(200);
    service.clock.advanceMs(10_000);
    expect((await call()).status).toBe(200);
    expect((await call()).status).toBe(429);
  });

  it('do not hold for probes, and an unknown token uses up nothing', async () => {
    for (let i = 0; i < 8; i++) {
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      const unknown = await service.call('logs.all', {}, { headers: { 'x-api-key': 'unknown' } });
      expect([unknown.status, unknown.headers.get('ratelimit')]).toEqual([401, null]);
    }
  });
});
