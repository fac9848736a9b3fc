import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import { settingsSchema } from '../../../src/start/settings.ts';
import { startService } from '../../../src/start/startService.ts';
import { engineUnderTest, onEngine } from '../../support/enginesUnderTest.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const nowMicros = Date.parse('2026-05-20T12:00:00Z') * 1000;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros });
  const query = 'select event_message from sources.rest_api_logs where project = @project order by event_message';
  const parameters = { project: { type: 'string', required: true } };
  await define({ name: 'test.cached', cache_seconds: 3600, query, parameters });
  const every = 'select project, event_message from sources.rest_api_logs order by event_message';
  await define({ name: 'test.all', query: every, parameters: {} });
});
afterAll(() => service.close());

async function define(fields: object): Promise<void> {
  const response = await fetch(`${service.url}/api/endpoints`, {
    method: 'POST',
    headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({ sandbox: false, max_rows: 100, ...fields }),
  });
  expect(response.status).toBe(201);
}

async function ask(method: string, path: string, token = service.adminToken, url = service.url) {
  const response = await fetch(`${url}${path}`, { method, headers: { 'x-api-key': token } });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

/** Asks again while files wait to be sealed, as a 503 says. */
async function remove(path: string, token?: string) {
  for (;;) {
    const answer = await ask('DELETE', path, token);
    if (answer.status !== 503) return answer;
  }
}

const shownOf = async (project: string) =>
  (await service.call('test.cached', { project })).body.result.map((row) => row.event_message);
const eventOf = (project: string, message: string, timestamp = '2026-05-19T00:00:00Z') => ({
  project,
  event_message: message,
  timestamp,
});

describe(onEngine('deleting events of a project'), () => {
  it('hides them from every query once it is answered, and others and later ones stay', async () => {
    await service.send('rest_api_logs', [eventOf('gone', 'a'), eventOf('gone', 'b'), eventOf('stays', 'c')]);
    await service.send('auth_logs', [eventOf('gone', 'd')]);
    expect(await shownOf('gone')).toEqual(['a', 'b']);
    expect(await shownOf('stays')).toEqual(['c']);
    const before = await service.call('test.all', {});
    expect(before.body.result).toHaveLength(3);

    const { status, headers, body } = await remove('/api/projects/gone/events');
    expect(status).toBe(202);
    expect(headers.get('location')).toBe(`/api/projects/gone/deletions/${body.id}`);
    expect(body).toMatchObject({ project: 'gone', source: null, before: null });
    // Cached results too.
    expect(await shownOf('gone')).toEqual([]);
    expect(await shownOf('stays')).toEqual(['c']);
    expect((await service.call('test.all', {})).body.result).toEqual([{ project: 'stays', event_message: 'c' }]);

    await service.send('rest_api_logs', [eventOf('gone', 'later')]);
    service.clock.advanceMs(3_600_000);
    expect(await shownOf('gone')).toEqual(['later']);
    const state = async () => (await ask('GET', `/api/projects/gone/deletions/${body.id}`)).body;
    await expect.poll(async () => (await state()).state).toBe('complete');
    expect(await state()).toMatchObject({
      removed: { events: 3, sources: { rest_api_logs: { events: 2 }, auth_logs: { events: 1 } } },
    });
    expect(await shownOf('gone')).toEqual(['later']);
    const { deletions } = (await ask('GET', '/api/projects/gone/deletions')).body;
    expect(deletions.map(({ id }: { id: string }) => id)).toEqual([body.id]);
    const trail = await ask('GET', '/api/audit?limit=5');
    expect(trail.body.result).toContainEqual(
      expect.objectContaining({ action: 'project.delete_events', target: 'gone' }),
    );
  });

  it('are not brought back by a retry of their batch, but by the batch under a key of its own', async () => {
    const batch = JSON.stringify([{ ...eventOf('again', 'a'), id: 'again-a' }]);
    const send = async (key: Readonly<Record<string, string>> = {}) => {
      const headers = { 'x-api-key': service.adminToken, 'content-type': 'application/json', ...key };
      const response = await fetch(`${service.url}/api/logs?source=rest_api_logs`, {
        method: 'POST',
        headers,
        body: batch,
      });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ accepted: 1 });
    };
    await send();
    expect(await shownOf('again')).toEqual(['a']);
    expect((await remove('/api/projects/again/events')).status).toBe(202);
    await send();
    expect(await shownOf('again')).toEqual([]);
    await send({ 'idempotency-key': 'again' });
    service.clock.advanceMs(3_600_000);
    expect(await shownOf('again')).toEqual(['a']);
  });

  it('is told by queries of the project, and of no other', async () => {
    const { meta } = (await service.call('test.cached', { project: 'gone' })).body;
    expect(meta).toMatchObject({ data_begins: { rest_api_logs: '2026-05-20T12:00:00.000000Z' } });
    expect(meta.notices.map(({ code }) => code)).toEqual(['retention.data_begins']);
    const other = (await service.call('test.cached', { project: 'stays' })).body.meta;
    expect(other).not.toHaveProperty('data_begins');
    expect(other.notices).toEqual([]);
    // A token for every project that names none is told that some differ, but not which.
    const all = (await service.call('test.all', {})).body.meta;
    expect(all.notices.map(({ code }) => code)).toEqual(['retention.varies']);
    expect(JSON.stringify(all)).not.toContain('gone');
    const restricted = await service.makeToken(['query'], ['stays']);
    const own = await service.call('test.all', {}, { headers: { 'x-api-key': restricted } });
    expect(own.body.result).toHaveLength(1);
    expect(own.body.meta.notices).toEqual([]);
  });

  it('takes only a source and only what is older, where that is asked for', async () => {
    const days = ['2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z'] as const;
    await service.send('rest_api_logs', [eventOf('part', 'first', days[0]), eventOf('part', 'second', days[1])]);
    await service.send('auth_logs', [eventOf('part', 'auth', days[0])]);
    const answer = await remove('/api/projects/part/events?source=rest_api_logs&before=2026-05-02');
    expect(answer.body).toMatchObject({ source: 'rest_api_logs', before: '2026-05-02T00:00:00.000000Z' });
    expect(await shownOf('part')).toEqual(['second']);
    const sql = 'select event_message from auth_logs';
    expect((await service.call('logs.all', { project: 'part', sql })).body.result).toEqual([{ event_message: 'auth' }]);
  });

  it.each([
    ['DELETE', '/api/projects/p/events?source=rest_api', 404, 'source.unknown'],
    ['DELETE', '/api/projects/p/events?source=svc_calls', 404, 'source.unknown'],
    ['DELETE', '/api/projects/%1Fservice/events', 422, 'project.invalid'],
    ['DELETE', '/api/projects/p/events?before=yesterday', 422, 'deletion.invalid'],
    ['DELETE', '/api/projects/p/events?befor=2026-05-01', 400, 'parameter.unknown'],
    ['GET', '/api/projects/p/deletions/7', 404, 'deletion.unknown'],
  ])('%s %s is refused', async (method, path, status, code) => {
    expect(await ask(method, path)).toMatchObject({ status, body: { code } });
  });

  it('is for managers, and of single projects for theirs only', async () => {
    await service.send('rest_api_logs', [eventOf('mine', 'm'), eventOf('theirs', 't')]);
    const manager = await service.makeToken(['manage'], ['mine']);
    expect(await ask('DELETE', '/api/projects/theirs/events', manager)).toMatchObject({
      status: 403,
      body: { code: 'auth.project' },
    });
    expect(await ask('GET', '/api/projects/gone/deletions', manager)).toMatchObject({ status: 403 });
    const { body } = await remove('/api/projects/mine/events', manager);
    expect(await shownOf('mine')).toEqual([]);
    expect(await shownOf('theirs')).toEqual(['t']);
    // The id of another project's deletion is of no use under one's own.
    const others = (await ask('GET', '/api/projects/gone/deletions')).body.deletions[0].id;
    expect(await ask('GET', `/api/projects/mine/deletions/${others}`, manager)).toMatchObject({ status: 404 });
    expect(await ask('GET', `/api/projects/mine/deletions/${body.id}`, manager)).toMatchObject({ status: 200 });
    for (const scope of ['query', 'ingest', 'observe']) {
      const token = await service.makeToken([scope]);
      expect(await ask('DELETE', '/api/projects/mine/events', token)).toMatchObject({ status: 403 });
    }
  });
});

it.skipIf(!engineUnderTest.states.isDurable)(onEngine('goes on after a restart'), async () => {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-deletion-'));
  const adminToken = 'an-administration-token-of-32-characters';
  const start = () =>
    startService({
      settings: settingsSchema.parse({ port: 0, dataDir: join(folder, 'data'), logLevel: 'silent', adminToken }),
      clock: new ManualClock(nowMicros),
      randomness: systemRandomness,
      observe: () => undefined,
      demo: false,
      progress: () => undefined,
      openEngine: engineUnderTest.openForService,
    });
  const first = await start();
  const headers = { 'x-api-key': adminToken, 'content-type': 'application/json' };
  await fetch(`${first.url}/api/logs?source=edge_logs`, {
    method: 'POST',
    headers,
    body: JSON.stringify([{ ...eventOf('p', 'gone'), metadata: {} }, eventOf('q', 'stays')]),
  });
  const { body } = await ask('DELETE', '/api/projects/p/events', adminToken, first.url);
  await fetch(`${first.url}/api/projects/q/retention`, { method: 'PUT', headers, body: '{"days":9}' });
  await first.close('restart');
  const second = await start();
  const counts = async (project: string) =>
    (await ask('GET', `/api/endpoints/query/logs.all?project=${project}`, adminToken, second.url)).body.result.length;
  expect([await counts('p'), await counts('q')]).toEqual([0, 1]);
  const path = `/api/projects/p/deletions/${body.id}`;
  const state = async () => (await ask('GET', path, adminToken, second.url)).body;
  await expect.poll(async () => (await state()).state).toBe('complete');
  expect((await state()).removed.events).toBe(1);
  expect((await ask('GET', '/api/projects/q/retention', adminToken, second.url)).body.days).toBe(9);
  await second.close('end of the test');
  rmSync(folder, { recursive: true });
});
