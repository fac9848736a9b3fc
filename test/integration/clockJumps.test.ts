import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../support/instants.ts';
import { startWholeService, type WholeService } from '../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
const hourMs = 3_600_000;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  await service.define({
    id: '5f0c8a52-91d4-4c1e-8a57-20d1c7e6b9f5',
    name: 'cached.count',
    query: 'select count(*) as n from sources.edge_logs as t where t.project = @project',
    parameters: { project: { type: 'string', required: true } },
    cache_seconds: 600,
  });
});
afterAll(() => service.close());

const event = (project: string, id: string) => ({
  id,
  timestamp: now,
  event_message: id,
  project,
  metadata: { request: { path: '/' } },
});

async function post(body: object, key?: string) {
  const response = await fetch(`${service.url}/api/logs?source=edge_logs`, {
    method: 'POST',
    headers: {
      'x-api-key': service.adminToken,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const idsOf = async (project: string) => {
  const { body } = await service.call('logs.all', { project, sql: 'select id from edge_logs order by id' });
  return body.result.map(({ id }) => id);
};

describe.each([
  ['forward', 5 * hourMs],
  ['back', -5 * hourMs],
])('a clock that is put %s', (direction, jumpMs) => {
  afterAll(() => service.clock.setMicros(now));

  it('leaves a batch recognised that is sent again across it', async () => {
    const project = `retried-${direction}`;
    const batch = [event(project, 'a'), event(project, 'b')];
    expect((await post(batch, project)).status).toBe(200);
    service.clock.advanceMs(jumpMs);
    expect(await post(batch, project)).toMatchObject({ status: 200, body: { accepted: 2 } });
    service.clock.advanceMs(-jumpMs);
    expect(await post(batch, project)).toMatchObject({ status: 200, body: { accepted: 2 } });
    expect(await idsOf(project)).toEqual(['a', 'b']);
  });

  it('makes no result last longer than it may', async () => {
    const project = `cached-${direction}`;
    const count = async () => (await service.call('cached.count', { project })).body.result[0]?.n;
    await post([event(project, 'a')]);
    service.clock.advanceMs(jumpMs);
    expect(await count()).toBe(1);
    await post([event(project, 'b')]);
    expect(await count()).toBe(1);
    service.clock.advanceMs(-jumpMs);
    // Made in what is now the future, or hours ago.
    expect(await count()).toBe(2);
  });

  it('opens nothing to a token that was revoked under the other clock', async () => {
    const token = await service.makeToken(['query']);
    const call = () => service.call('logs.all', { project: 'p' }, { headers: { 'x-api-key': token } });
    expect((await call()).status).toBe(200);
    service.clock.advanceMs(jumpMs);
    expect((await call()).status).toBe(200);
    const revoked = await fetch(`${service.url}/api/tokens/${token.slice(3, 15)}`, {
      method: 'DELETE',
      headers: { 'x-api-key': service.adminToken },
    });
    expect(revoked.status).toBe(200);
    service.clock.advanceMs(-jumpMs);
    expect((await call()).body.code).toBe('auth.invalid');
  });

  it('gives events without a time the one that the service believes, each once', async () => {
    const project = `untimed-${direction}`;
    const untimed = (id: string) => ({ ...event(project, id), timestamp: undefined });
    await post([untimed('a')]);
    service.clock.advanceMs(jumpMs);
    await post([untimed('b')]);
    service.clock.advanceMs(-jumpMs);
    await post([untimed('c')]);
    const { body } = await service.call('logs.all', {
      project,
      sql: 'select id, timestamp from edge_logs order by id',
    });
    const hour = 12 + jumpMs / hourMs;
    const other = `2026-05-01T${String(hour).padStart(2, '0')}:00`;
    const told = body.result.map(({ id, timestamp }) => [id, String(timestamp).slice(0, 16)]);
    expect(told.map(([id]) => id)).toEqual(['a', 'b', 'c']);
    expect(told[1]?.[1]).toBe(other);
    expect(told[0]?.[1]).toBe('2026-05-01T12:00');
  });
});
