import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { SmallDisk } from '../../support/smallDisk.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');

/** Null where none may be mounted; the cases are skipped there, which the runner reports. */
const disk = SmallDisk.mount(96 * 2 ** 20);
afterAll(() => disk?.remove());

const endpoint = (id: string, query: string) => ({ id, name: 'disk.probe', query, parameters: {} });
const id = '5f0c8a52-91d4-4c1e-8a57-20d1c7e6b9f6';
/** So long that it needs room of its own. */
const longQuery = (n: number) => `select ${n} as n -- ${'x'.repeat(40_000)}`;

describe.skipIf(disk === null)('a service whose disk is full', () => {
  let service: WholeService;
  let stored = 0;
  beforeAll(async () => {
    service = await startWholeService({
      nowMicros: now,
      // The bound that refuses events early is off: here the room ends under whatever is being written.
      settings: { dataDir: join(disk?.path ?? '', 'data'), diskFreeMin: 0 },
    });
  });
  afterAll(() => service.close());

  const request = async (method: string, path: string, body: unknown) => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const send = () => {
    const events = Array.from({ length: 100 }, (_, n) => ({
      timestamp: now,
      event_message: `${stored + n} ${'y'.repeat(2000)}`,
      project: 'p',
    }));
    return request('POST', '/api/logs?source=edge_logs', events);
  };
  const found = async () => {
    const sql = 'select count(*) as n, count(distinct event_message) as m from edge_logs';
    return (await service.call('logs.all', { project: 'p', sql })).body.result;
  };
  const number = async () => (await service.call(id, {})).body.result;

  it('refuses events and changes with codes, keeps all that it acknowledged, and goes on answering', async () => {
    expect((await request('POST', '/api/endpoints', endpoint(id, longQuery(1)))).status).toBe(201);
    expect((await send()).status).toBe(200);
    stored += 100;
    disk?.fill();
    let refused = await send();
    // What the engine's log has left of its last block may still take a batch.
    for (let more = 0; refused.status === 200 && more < 10; more++) {
      stored += 100;
      refused = await send();
    }
    expect(refused).toMatchObject({ status: 503, body: { code: 'ingest.disk_full' } });
    const ready = await fetch(`${service.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { ingestion: 'ingest.disk_full' }]);
    const change = await request('PATCH', `/api/endpoints/${id}`, { query: longQuery(2) });
    expect(change).toMatchObject({ status: 503, body: { code: 'service.disk_full' } });
    expect(await found()).toEqual([{ n: stored, m: stored }]);
    expect(await number()).toEqual([{ n: 1 }]);
  });

  it('takes events and changes again as soon as there is room', async () => {
    disk?.empty();
    await expect.poll(async () => (await send()).status).toBe(200);
    stored += 100;
    expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ status: 'ok' });
    expect((await request('PATCH', `/api/endpoints/${id}`, { query: longQuery(3) })).status).toBe(200);
    expect(await found()).toEqual([{ n: stored, m: stored }]);
    expect(await number()).toEqual([{ n: 3 }]);
  });
});
