import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import { settingsSchema } from '../../../src/start/settings.ts';
import { type RunningService, startService } from '../../../src/start/startService.ts';
import { build, startService as startBuilt } from '../../acceptance/startedService.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { sharedClickHouse } from './clickhouseEngine.ts';

const nowMicros = Date.parse('2026-05-20T12:00:00Z') * 1000;

describe.skipIf(!hasClickHouse)('a service whose settings keep events in ClickHouse', () => {
  let folder: string;
  let settings: Readonly<Record<string, unknown>>;
  let service: RunningService;
  const clock = new ManualClock(nowMicros);
  const start = async (changes: Readonly<Record<string, unknown>> = {}) =>
    await startService({
      settings: settingsSchema.parse({ ...settings, ...changes }),
      clock,
      randomness: systemRandomness,
      observe: () => undefined,
      demo: false,
      progress: () => undefined,
    });
  const adminToken = 'a'.repeat(40);
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { 'x-api-key': adminToken, 'content-type': 'application/json' };
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const messages = async (project: string) => {
    const { body } = await ask('GET', `/api/endpoints/query/test.shown?${new URLSearchParams({ project })}`);
    return (body.result as readonly { readonly event_message: string }[]).map((row) => row.event_message);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'logmill-on-clickhouse-'));
    const { url, user, createDatabase } = await sharedClickHouse();
    settings = {
      port: 0,
      dataDir: join(folder, 'data'),
      logLevel: 'silent',
      adminToken,
      events: 'clickhouse',
      clickhouseUrl: url,
      clickhouseDatabase: await createDatabase(),
      clickhouseUser: user,
      clickhouseReaderUser: user,
    };
    service = await start();
    const { status } = await ask('POST', '/api/endpoints', {
      name: 'test.shown',
      query: 'select event_message from sources.rest_api_logs where project = @project order by event_message',
      parameters: { project: { type: 'string', required: true } },
      cache_seconds: 3600,
      sandbox: false,
      max_rows: 100,
    });
    expect(status).toBe(201);
  });
  afterAll(async () => {
    await service.close('the test ends');
    rmSync(folder, { recursive: true });
  });

  it('has them after a restart, and neither shows nor returns those of a deleted project', async () => {
    const timestamp = '2026-05-20T11:00:00Z';
    const events = [
      { project: 'gone', event_message: 'a', timestamp },
      { project: 'stays', event_message: 'b', timestamp },
    ];
    expect((await ask('POST', '/api/logs?source=rest_api_logs', events)).status).toBe(200);
    expect(await messages('gone')).toEqual(['a']);
    await service.close('the test ends');
    service = await start();
    expect([await messages('gone'), await messages('stays')]).toEqual([['a'], ['b']]);
    expect((await ask('DELETE', '/api/projects/gone/events')).status).toBe(202);
    expect([await messages('gone'), await messages('stays')]).toEqual([[], ['b']]);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });

  it('stores and queries events as the built command, which loads packages in another way', async () => {
    const { url, user, createDatabase } = await sharedClickHouse();
    build();
    const built = await startBuilt(['--log-level', 'error', '--admin-token', adminToken], {
      dataDir: join(folder, 'built'),
      environment: {
        LOGMILL_EVENTS: 'clickhouse',
        LOGMILL_CLICKHOUSE_URL: url,
        LOGMILL_CLICKHOUSE_DATABASE: await createDatabase(),
        LOGMILL_CLICKHOUSE_USER: user,
        LOGMILL_CLICKHOUSE_READER_USER: user,
      },
    });
    try {
      const headers = { 'x-api-key': adminToken, 'content-type': 'application/json' };
      const body = JSON.stringify([{ project: 'built', event_message: 'stored' }]);
      const sent = await fetch(`${built.url}/api/logs?source=rest_api_logs`, { method: 'POST', headers, body });
      expect(sent.status, await sent.text()).toBe(200);
      const sql = 'select event_message from rest_api_logs';
      const query = new URLSearchParams({ project: 'built', sql });
      const answer = await fetch(`${built.url}/api/endpoints/query/logs.all?${query}`, { headers });
      expect(await answer.json()).toMatchObject({ result: [{ event_message: 'stored' }] });
    } finally {
      expect(await built.stop()).toBe(0);
    }
  });

  it('does not start without an address of ClickHouse, or without a volume for older events, and says so', async () => {
    const other = { dataDir: join(folder, 'other') };
    await expect(start({ ...other, clickhouseUrl: undefined })).rejects.toThrow(
      'LOGMILL_CLICKHOUSE_URL must be set with LOGMILL_EVENTS=clickhouse.',
    );
    await expect(start({ ...other, clickhouseColdDays: 7 })).rejects.toThrow(
      'LOGMILL_CLICKHOUSE_COLD_VOLUME must be set with LOGMILL_CLICKHOUSE_COLD_DAYS.',
    );
  });
});
