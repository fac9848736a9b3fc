import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import { settingsSchema } from '../../../src/start/settings.ts';
import { type RunningService, startService } from '../../../src/start/startService.ts';
import { at } from '../../support/instants.ts';
import { SmallDisk } from '../../support/smallDisk.ts';

const now = at('2026-05-01T12:00:00Z');
const adminToken = 'admin-token-of-the-tests-of-a-full-disk-0123456789';

/** Null if none can be mounted. */
const disk = SmallDisk.mount(96 * 2 ** 20);
afterAll(() => disk?.remove());

const clock = new ManualClock(now);
let running: RunningService | undefined;
afterEach(async () => await running?.close('end of the test'));

async function start(given: Readonly<Record<string, unknown>> = {}): Promise<RunningService> {
  const dataDir = join(disk?.path ?? '', 'data');
  running = await startService({
    settings: settingsSchema.parse({ port: 0, dataDir, adminToken, logLevel: 'silent', ...given }),
    clock,
    randomness: systemRandomness,
    observe: () => undefined,
    demo: false,
    progress: () => undefined,
  });
  return running;
}

async function request({ url }: RunningService, path: string, events?: readonly object[]) {
  const response = await fetch(`${url}${path}`, {
    headers: { 'x-api-key': adminToken, 'content-type': 'application/json' },
    ...(events === undefined ? {} : { method: 'POST', body: JSON.stringify(events) }),
  });
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  return { status: response.status, headers: response.headers, body };
}

let sent = 0;
const send = async (service: RunningService) => {
  const events = Array.from({ length: 50 }, (_, n) => ({
    timestamp: now,
    event_message: `${sent + n} ${'y'.repeat(2000)}`,
    project: 'p',
  }));
  const answer = await request(service, '/api/logs?source=edge_logs', events);
  if (answer.status === 200) sent += events.length;
  return answer;
};
const found = async (service: RunningService) => {
  const sql = encodeURIComponent('select count(*) as n, count(distinct event_message) as m from edge_logs');
  return (await request(service, `/api/endpoints/query/logs.all?project=p&sql=${sql}`)).body.result;
};

describe.skipIf(disk === null)('a start on a disk without a free byte', () => {
  it('answers queries, refuses events, and stores events again as soon as there is space', async () => {
    const first = await start();
    expect((await send(first)).status).toBe(200);
    await first.close('restart');
    disk?.fill();
    expect(disk?.freeBytes).toBe(0);

    const service = await start();
    expect(await found(service)).toEqual([{ n: sent, m: sent }]);
    expect((await request(service, '/readyz')).body).toMatchObject({ status: 'ok', ingestion: 'ingest.disk_full' });
    const refused = await send(service);
    expect(refused).toMatchObject({ status: 503, body: { code: 'ingest.disk_full' } });
    expect(refused.headers.get('retry-after')).toBe('15');
    await service.close('restart');

    const again = await start();
    expect(await found(again)).toEqual([{ n: sent, m: sent }]);
    disk?.empty();
    clock.advanceMs(1000);
    expect((await send(again)).status).toBe(200);
    expect(await found(again)).toEqual([{ n: sent, m: sent }]);
  });

  it('is refused if it must record another token, because the old one would stay valid', async () => {
    await (await start()).close('restart');
    disk?.fill();
    await expect(start({ adminToken: `${adminToken}-changed` })).rejects.toMatchObject({ code: 'service.disk_full' });
    running = undefined;
    disk?.empty();
    expect(await found(await start())).toEqual([{ n: sent, m: sent }]);
  });
});
