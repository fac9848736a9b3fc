import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const nowMicros = Date.parse('2026-05-20T12:00:00Z') * 1000;
const dayMs = 86_400_000;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros, settings: { retentionDays: 7 } });
});
afterAll(() => service.close());

async function ask(method: string, path: string, body?: unknown, token = service.adminToken) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const timeBefore = (days: number) => new Date(service.clock.nowMicros() / 1000 - days * dayMs).toISOString();
const eventOf = (project: string, message: string, days: number) => ({
  project,
  event_message: message,
  timestamp: timeBefore(days),
});

async function messages(project: string, more: Readonly<Record<string, string>> = {}) {
  const { body } = await service.call('logs.all', { project, ...more });
  const shown = body.result.map((row) => row.event_message);
  const meta = body.meta as typeof body.meta & { readonly data_begins?: Record<string, string> };
  return {
    shown,
    begins: meta.data_begins,
    codes: meta.notices.map(({ code }) => code),
    rowsScanned: meta.query.rows_scanned,
  };
}

describe(onEngine('retention'), () => {
  it('refuses an event that is older, and says what is the oldest that is taken', async () => {
    const sent = [eventOf('new', 'kept', 6.9), eventOf('new', 'late', 7.1)];
    const { status, body } = await ask('POST', '/api/logs?source=edge_logs', sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 1, rejected: [{ index: 1, code: 'event.too_old' }] });
    expect(body.rejected[0].message).toContain('2026-05-13T12:00:00.000Z');
    expect((await messages('new')).shown).toEqual(['kept']);
    expect(await ask('POST', '/api/logs?source=edge_logs', [eventOf('new', 'late', 8)])).toMatchObject({ status: 422 });
  });

  it('refuses it over OTLP as partial success', async () => {
    const record = (days: number) => ({
      timeUnixNano: `${BigInt(Math.round(service.clock.nowMicros() - days * dayMs * 1000)) * 1000n}`,
      body: { stringValue: `otlp ${days}` },
      attributes: [{ key: 'project', value: { stringValue: 'otlp' } }],
    });
    const body = { resourceLogs: [{ scopeLogs: [{ logRecords: [record(1), record(9)] }] }] };
    const answer = await ask('POST', '/v1/logs?source=edge_logs', body);
    expect(answer).toMatchObject({ status: 200, body: { partialSuccess: { rejectedLogRecords: '1' } } });
    expect(answer.body.partialSuccess.errorMessage).toContain('events from 2026-05-13T12:00:00.000Z on are kept');
    expect((await messages('otlp')).shown).toEqual(['otlp 1']);
  });

  it('is settled by source, by project and by both; the most specific one counts', async () => {
    expect((await ask('PUT', '/api/sources/edge_logs/retention', { days: 5 })).body).toEqual({
      source: 'edge_logs',
      days: 5,
      effective: { days: 5, from: 'source' },
    });
    const set = await ask('PUT', '/api/projects/a%2Fb/retention', { days: 3, sources: { edge_logs: 2 } });
    expect(set.body).toMatchObject({ project: 'a/b', days: 3, sources: { edge_logs: 2 } });
    expect(set.body.effective).toMatchObject({
      edge_logs: { days: 2, from: 'source and project' },
      auth_logs: { days: 3, from: 'project' },
    });
    expect((await ask('GET', '/api/projects/other/retention')).body.effective).toMatchObject({
      edge_logs: { days: 5, from: 'source' },
      auth_logs: { days: 7, from: 'default' },
      svc_calls: { days: 90, from: 'default' },
    });
    expect((await ask('PUT', '/api/projects/a%2Fb/retention', { days: null })).body).toMatchObject({
      days: null,
      sources: {},
    });
    expect((await ask('PUT', '/api/sources/edge_logs/retention', { days: null })).body.effective).toEqual({
      days: 7,
      from: 'default',
    });
    expect((await ask('PUT', '/api/sources/svc_calls/retention', { days: 0 })).body.effective.days).toBe(0);
    const trail = await ask('GET', '/api/audit?limit=3');
    expect(trail.body.result.map((entry: { action: string }) => entry.action)).toContain('source.retention');
  });

  it.each([
    ['/api/sources/edge_logs/retention', { days: -1 }, 422, 'retention.invalid'],
    ['/api/sources/edge_logs/retention', { days: 1.5 }, 422, 'retention.invalid'],
    ['/api/sources/edge_logs/retention', {}, 422, 'retention.invalid'],
    ['/api/sources/edge_logs/retention', { days: 1, project: 'p' }, 422, 'retention.invalid'],
    ['/api/sources/edge_log/retention', { days: 1 }, 404, 'source.unknown'],
    ['/api/projects/p/retention', { sources: { edge_log: 1 } }, 404, 'source.unknown'],
    ['/api/projects/p/retention', { sources: { edge_logs: null } }, 422, 'retention.invalid'],
    ['/api/projects/%1Fservice/retention', { days: 1 }, 422, 'project.invalid'],
  ])('of %s refuses %j', async (path, body, status, code) => {
    expect(await ask('PUT', path, body)).toMatchObject({ status, body: { code } });
  });

  it('refuses a project that no event can have', async () => {
    const path = `/api/projects/${'x'.repeat(5000)}/retention`;
    expect(await ask('PUT', path, { days: 1 })).toMatchObject({ status: 422, body: { code: 'project.invalid' } });
  });

  it('is shown and settled by a manager of single projects for those only', async () => {
    const token = await service.makeToken(['manage'], ['mine']);
    expect(await ask('PUT', '/api/projects/mine/retention', { days: 6 }, token)).toMatchObject({ status: 200 });
    for (const [method, path, body] of [
      ['PUT', '/api/projects/theirs/retention', { days: 1 }],
      ['GET', '/api/projects/theirs/retention', undefined],
      ['PUT', '/api/sources/edge_logs/retention', { days: 1 }],
    ] as const) {
      expect(await ask(method, path, body, token)).toMatchObject({ status: 403, body: { code: 'auth.project' } });
    }
    const reader = await service.makeToken(['query']);
    expect(await ask('PUT', '/api/projects/mine/retention', { days: 1 }, reader)).toMatchObject({ status: 403 });
  });

  it('hides what passes it, also a result that was cached, and says where data begins to those whom it concerns', async () => {
    const cached = { name: 'test.cached', cache_seconds: 3600, sandbox: false, max_rows: 100 };
    const query = 'select event_message from sources.rest_api_logs where project = @project order by timestamp desc';
    const parameters = { project: { type: 'string', required: true } };
    expect((await ask('POST', '/api/endpoints', { ...cached, query, parameters })).status).toBe(201);
    const rest = async (project: string) =>
      (await service.call('test.cached', { project })).body.result.map((row) => row.event_message);
    await service.send('rest_api_logs', [eventOf('short', 'old', 3), eventOf('short', 'young', 1)]);
    await service.send('rest_api_logs', [eventOf('long', 'old', 3)]);
    expect(await rest('short')).toEqual(['young', 'old']);
    expect(await rest('long')).toEqual(['old']);
    await ask('PUT', '/api/projects/short/retention', { days: 2 });
    expect(await rest('short')).toEqual(['young']);
    expect(await rest('long')).toEqual(['old']);
    const { body } = await service.call('test.cached', { project: 'short' });
    expect(body.meta).toMatchObject({ data_begins: { rest_api_logs: '2026-05-18T12:00:00.000000Z' } });
    expect(body.meta.notices.map(({ code }) => code)).toEqual(['retention.data_begins']);
    const other = (await service.call('test.cached', { project: 'long' })).body;
    expect(other.meta).toMatchObject({ data_begins: { rest_api_logs: '2026-05-13T12:00:00.000000Z' } });
  });

  it('tells nothing where a query looks for nothing that was removed', async () => {
    const start = timeBefore(1);
    const within = await messages('new', { iso_timestamp_start: start });
    expect(within).toMatchObject({ codes: [], begins: { edge_logs: '2026-05-13T12:00:00.000000Z' } });
    expect((await messages('new', { iso_timestamp_start: timeBefore(8) })).codes).toEqual(['retention.data_begins']);
  });

  it('moves on with the clock', async () => {
    expect((await messages('new')).shown).toEqual(['kept']);
    service.clock.advanceMs(0.2 * dayMs);
    expect(await messages('new')).toMatchObject({ shown: [], codes: ['retention.data_begins'], rowsScanned: 0 });
  });
});
