import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reserveBytes } from '../../../src/engines/duckdb/files/spaceReserve.ts';
import { at } from '../../support/instants.ts';
import { SmallDisk } from '../../support/smallDisk.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
const dayMicros = 86_400_000_000;
const segmentEvents = 1000;

/** Null where none may be mounted; the cases are skipped there, which the runner reports. */
const disk = SmallDisk.mount(96 * 2 ** 20);
afterAll(() => disk?.remove());

describe.skipIf(disk === null)('a service on a disk without any free space', () => {
  let service: WholeService;
  const events = join(disk?.path ?? '', 'data', 'events');
  beforeAll(async () => {
    service = await startWholeService({
      nowMicros: now,
      settings: { dataDir: join(disk?.path ?? '', 'data'), diskFreeMin: 0, segmentEvents },
    });
  });
  afterAll(() => service.close());

  const named = (pattern: RegExp) => readdirSync(events).filter((name) => pattern.test(name)).length;
  const sealed = () => named(/^sealed-\d+\.duckdb$/);
  const store = async (project: string, timestamp: number) => {
    const batch = Array.from({ length: segmentEvents }, (_, n) => ({ timestamp, project, event_message: `${n}` }));
    await service.send('edge_logs', batch);
  };
  const request = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as { readonly detail?: string } };
  };
  const count = async (project: string) =>
    (await service.call('logs.all', { project, sql: 'select count(*) as n from edge_logs' })).body.result[0]?.n;
  /** Takes all of the space, except what is set aside, which the service does ten seconds after a start. */
  const fill = () => {
    disk?.empty();
    writeFileSync(join(events, 'reserve'), Buffer.alloc(reserveBytes, 1));
    disk?.fill();
  };

  it('takes a deletion with the space that is set aside, and drops the segments that hold only its events', async () => {
    for (const project of ['gone', 'kept', 'old']) await store(project, project === 'old' ? now - 2 * dayMicros : now);
    await service.send('edge_logs', [{ timestamp: now, project: 'kept', event_message: 'last' }]);
    await expect.poll(sealed).toBe(3);
    // The active segment and its log: nothing is left that would free space when it is removed.
    await expect.poll(() => named(/^(?:active|sealing)-/)).toBe(2);
    fill();
    expect((await request('DELETE', '/api/projects/gone/events')).status).toBe(202);
    expect(await count('gone')).toBe(0);
    await expect.poll(sealed).toBeLessThan(3);
    expect(existsSync(join(events, 'reserve'))).toBe(false);
    expect(await count('kept')).toBe(segmentEvents + 1);
  });

  it('takes a rule of retention in the same way', async () => {
    fill();
    expect((await request('PUT', '/api/projects/old/retention', { days: 1 })).status).toBe(200);
    expect(await count('old')).toBe(0);
    expect(await count('kept')).toBe(segmentEvents + 1);
  });

  it('says what to do where nothing is set aside', async () => {
    disk?.fill();
    const refused = await request('DELETE', '/api/projects/kept/events');
    expect(refused).toMatchObject({ status: 503, body: { code: 'service.disk_full' } });
    expect(refused.body.detail).toContain('LOGMILL_DISK_BUDGET');
    expect(await count('kept')).toBe(segmentEvents + 1);
  });
});
