import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import { settingsSchema } from '../../../src/start/settings.ts';
import { type RunningService, startService } from '../../../src/start/startService.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { type FreshSchema, freshSchema, hasPostgres } from '../../support/postgresStores.ts';
import { tailOf } from '../../support/tailing.ts';
import { sharedClickHouse } from './clickhouseEngine.ts';

const adminToken = 'a'.repeat(40);
const name = 'test.lines';

interface Page {
  readonly result: readonly { readonly v: string }[];
  readonly meta: { readonly next: string | null };
}

describe.skipIf(!hasClickHouse || !hasPostgres)('two services with one PostgreSQL and one ClickHouse', () => {
  let folder: string;
  let schema: FreshSchema;
  let services: RunningService[];
  const service = (n: 0 | 1): RunningService => {
    const found = services[n];
    if (found === undefined) throw new Error('the services are not started');
    return found;
  };

  const send = async (at: RunningService, method: string, path: string, body?: unknown, token = adminToken) =>
    await fetch(`${at.url}${path}`, {
      method,
      headers: { 'x-api-key': token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const ask = async (...asked: Parameters<typeof send>) => {
    const response = await send(...asked);
    const text = await response.text();
    expect(response.ok, text).toBe(true);
    return JSON.parse(text);
  };
  const page = async (at: RunningService, parameters: Readonly<Record<string, string>>, token?: string) =>
    (await ask(at, 'GET', `/api/endpoints/query/${name}?${new URLSearchParams(parameters)}`, undefined, token)) as Page;
  const append = async (at: RunningService, project: string, messages: readonly string[]) => {
    const events = messages.map((event_message) => ({ project, event_message }));
    await ask(at, 'POST', '/api/logs?source=pooler_logs', events);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'logmill-two-services-'));
    schema = await freshSchema();
    services = [];
    const { url, user, createDatabase } = await sharedClickHouse();
    const settings = {
      ...{ port: 0, logLevel: 'silent', adminToken, store: schema.url, events: 'clickhouse' },
      ...{ clickhouseUrl: url, clickhouseDatabase: await createDatabase() },
      ...{ clickhouseUser: user, clickhouseReaderUser: user },
    };
    const start = async (dataDir: string) =>
      services.push(
        await startService({
          settings: settingsSchema.parse({ ...settings, dataDir: join(folder, dataDir) }),
          clock: systemClock,
          randomness: systemRandomness,
          observe: () => undefined,
          demo: false,
          progress: () => undefined,
        }),
      );
    await start('one');
    await ask(service(0), 'POST', '/api/endpoints', {
      name,
      query: 'select event_message as v from sources.pooler_logs where project = @project order by timestamp desc',
      parameters: { project: { type: 'string', required: true } },
      max_rows: 100,
      cache_seconds: 3600,
    });
    await start('two');
  });
  afterAll(async () => {
    for (const each of services) await each.close('the test ends');
    await schema.drop();
    rmSync(folder, { recursive: true });
  });

  it('read each other’s pages and tail each other’s events, until one revokes the token', async () => {
    const [one, two] = [service(0), service(1)];
    const { id, token } = await ask(one, 'POST', '/api/tokens', { description: 'a reader', scopes: ['query'] });
    const tail = await tailOf(two.url, name, token, { project: 'p' });
    const lines = ['a', 'b', 'c', 'd', 'e'];
    await append(one, 'p', lines);
    await expect.poll(() => tail.rows().map(({ v }) => v)).toEqual(lines);
    const first = await page(two, { project: 'p', page_size: '3' }, token);
    await append(two, 'p', ['later']);
    const second = await page(one, { project: 'p', cursor: first.meta.next ?? '' }, token);
    const rows = [...first.result, ...second.result].map(({ v }) => v);
    expect([rows.toSorted(), second.meta.next]).toEqual([lines, null]);
    await expect.poll(() => tail.rows().map(({ v }) => v)).toEqual([...lines, 'later']);
    await ask(one, 'DELETE', `/api/tokens/${id}`);
    await expect.poll(() => tail.parts.at(-1)).toMatchObject({ event: 'end', data: { code: 'auth.invalid' } });
    await tail.ended;
  });

  it('hide the events of a project as soon as the other one has deleted them, also from cached answers, pages and tails', async () => {
    const [one, two] = [service(0), service(1)];
    await append(two, 'gone', ['a', 'b', 'c']);
    expect((await page(two, { project: 'gone' })).result).toHaveLength(3);
    const first = await page(two, { project: 'gone', page_size: '2' });
    const tail = await tailOf(two.url, name, adminToken, { project: 'gone' });
    expect(first.result).toHaveLength(2);
    await ask(one, 'DELETE', '/api/projects/gone/events');
    expect((await page(two, { project: 'gone' })).result).toEqual([]);
    const second = await page(two, { project: 'gone', cursor: first.meta.next ?? '' });
    expect(second.result).toEqual([]);
    expect(JSON.stringify(second.meta)).toContain('page.events_removed');
    await append(one, 'gone', ['new']);
    await expect.poll(() => tail.rows().map(({ v }) => v)).toEqual(['new']);
    tail.leave();
  });
});
