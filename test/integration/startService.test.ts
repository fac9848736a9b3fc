import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/core/clock.ts';
import { systemRandomness } from '../../src/core/ids.ts';
import type { Observation } from '../../src/core/observation.ts';
import { demoProjects } from '../../src/demo/generate.ts';
import { demoCalls } from '../../src/start/demoCalls.ts';
import { claimForDemo } from '../../src/start/demoState.ts';
import { readSettings } from '../../src/start/readSettings.ts';
import { type RunningService, startService } from '../../src/start/startService.ts';

const hourMicros = 3_600_000_000;
const firstMicros = Date.UTC(2026, 4, 4, 9, 30) * 1000;

const running: RunningService[] = [];
const observed: Observation[] = [];

afterEach(async () => {
  for (const service of running.splice(0)) await service.close('end of the test');
});

async function start(
  dataDir: string,
  clock: ManualClock,
  demo = true,
  flags: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const { settings } = readSettings({ environment: {}, flags: { dataDir, port: '0', ...flags } });
  const service = await startService({
    settings,
    clock,
    randomness: systemRandomness,
    observe: (observation) => observed.push(observation),
    demo,
    progress: () => undefined,
  });
  running.push(service);
  return service;
}

const newDataDir = () => join(mkdtempSync(join(tmpdir(), 'logmill-integration-')), 'data');

function demoOf({ demo }: RunningService) {
  if (demo === undefined || demo === 'foreign') throw new Error('the service should have sample data');
  return demo;
}

async function call(
  url: string,
  token: string,
): Promise<{ readonly status: number; readonly rows: readonly Record<string, unknown>[] }> {
  const response = await fetch(url, { headers: { 'x-api-key': token } });
  const body = (await response.json()) as { readonly result?: readonly Record<string, unknown>[] };
  return { status: response.status, rows: body.result ?? [] };
}

describe('startService', () => {
  it('tops sample data up to now hours later, and every printed call answers with rows of those hours, for a day', async () => {
    const dataDir = newDataDir();
    const clock = new ManualClock(firstMicros);
    // As if most of the day that an empty folder gets were there.
    mkdirSync(dataDir);
    claimForDemo(dataDir, firstMicros - hourMicros);
    const first = await start(dataDir, clock);
    expect(first.adminToken).toMatch(/^lm_/);
    expect(demoOf(first).fill).toMatchObject({ fromMicros: firstMicros - hourMicros, toMicros: firstMicros });
    await first.close('restart');

    clock.setMicros(firstMicros + 4 * hourMicros);
    const second = await start(dataDir, clock);
    const { fill, queryToken } = demoOf(second);
    expect(second.adminToken).toBeUndefined();
    expect(fill).toMatchObject({ fromMicros: firstMicros, toMicros: firstMicros + 4 * hourMicros });
    expect(fill.events).toBeGreaterThan(5_000);

    for (const { command } of demoCalls(second.url, queryToken)) {
      const [, url = ''] = /'(http:[^']+)'/.exec(command) ?? [];
      const [, sql] = /--data-urlencode 'sql=([^']+)'/.exec(command) ?? [];
      const target = sql === undefined ? url : `${url}&sql=${encodeURIComponent(sql)}`;
      const { status, rows } = await call(target, queryToken);
      expect(status, command).toBe(200);
      expect(rows.length, command).toBeGreaterThan(0);
    }
    const newestUrl = `${second.url}/api/endpoints/query/logs.all?project=${demoProjects[0]}`;
    const newest = await call(newestUrl, queryToken);
    expect(Date.parse(String(newest.rows[0]?.timestamp)) * 1000).toBeGreaterThan(firstMicros + 3.9 * hourMicros);

    // The token of the printed calls is valid for a day, not longer.
    clock.advanceMs(24 * 3_600_000 - 1);
    expect((await call(newestUrl, queryToken)).status).toBe(200);
    clock.advanceMs(1);
    expect((await call(newestUrl, queryToken)).status).toBe(401);
  });

  it('begins sample data a day ago, and says in a sentence where its disk has no room for it', async () => {
    const { settings } = readSettings({
      environment: {},
      flags: { dataDir: newDataDir(), port: '0', diskFreeMin: '8000000000000000' },
    });
    const inputs = { settings, clock: new ManualClock(firstMicros), randomness: systemRandomness, demo: true };
    const started = startService({ ...inputs, observe: () => undefined, progress: () => undefined });
    await expect(started).rejects.toThrow(
      `The disk of the data folder ${settings.dataDir} is too full for sample data. Free some space`,
    );
    const mark: unknown = JSON.parse(readFileSync(join(settings.dataDir, 'demo.json'), 'utf8'));
    expect(mark).toMatchObject({ filled_to_micros: firstMicros - 24 * hourMicros });
  });

  it('adds no sample data to a folder that was started without, and none where none is wanted', async () => {
    const dataDir = newDataDir();
    const clock = new ManualClock(firstMicros);
    const plain = await start(dataDir, clock, false);
    expect(plain.demo).toBeUndefined();
    await plain.close('restart');
    expect((await start(dataDir, clock)).demo).toBe('foreign');
  });

  it('has written the usage of every call when it has closed', async () => {
    const dataDir = newDataDir();
    const clock = new ManualClock(firstMicros);
    const first = await start(dataDir, clock, false);
    const token = first.adminToken ?? '';
    for (let n = 0; n < 5; n++) await call(`${first.url}/api/endpoints/query/logs.all?project=p`, token);
    await first.close('restart');
    const second = await start(dataDir, clock, false);
    const { rows } = await call(`${second.url}/api/endpoints/query/svc.calls?endpoint=logs.all`, token);
    expect(rows).toMatchObject([{ endpoint: 'logs.all', calls: 5, errors: 0 }]);
  });

  it('starts although its engine process is killed again and again meanwhile, and has every sample event', async () => {
    const dataDir = newDataDir();
    mkdirSync(dataDir);
    claimForDemo(dataDir, firstMicros - hourMicros);
    const pids: number[] = [];
    const { settings } = readSettings({ environment: {}, flags: { dataDir, port: '0' } });
    const service = await startService({
      settings,
      clock: new ManualClock(firstMicros),
      randomness: systemRandomness,
      observe: (observation) => {
        const { kind } = observation;
        if (kind === 'engine.started') pids.push(observation.pid);
        const isKilled = kind === 'engine.started' ? pids.length < 3 : kind === 'endpoints.deployed';
        if (isKilled) process.kill(pids.at(-1) ?? 0, 'SIGKILL');
      },
      demo: true,
      progress: () => undefined,
    });
    running.push(service);
    const { fill, queryToken } = demoOf(service);
    expect(pids).toHaveLength(4);
    const sql = 'select count(*) as n from edge_logs';
    const counted = await Promise.all(
      demoProjects.map(async (project) => {
        const query = new URLSearchParams({ project, sql });
        return (await call(`${service.url}/api/endpoints/query/logs.all?${query}`, queryToken)).rows[0]?.n;
      }),
    );
    expect(counted.every((n) => Number(n) > 0)).toBe(true);
    expect(fill.events).toBeGreaterThan(1_000);
  });

  it('frees its folder and its port when it cannot start', async () => {
    const dataDir = newDataDir();
    const clock = new ManualClock(firstMicros);
    const holder = await start(newDataDir(), clock, false);
    const { settings } = readSettings({ environment: {}, flags: { dataDir, port: new URL(holder.url).port } });
    const inputs = {
      settings,
      clock,
      randomness: systemRandomness,
      observe: () => undefined,
      demo: false,
      progress: () => undefined,
    };
    await expect(startService(inputs)).rejects.toThrow('another program uses the port');
    expect((await fetch(`${(await start(dataDir, clock, false)).url}/readyz`)).status).toBe(200);
  });

  it('answers queries that outlast the time to finish with 503, and closes the engine cleanly and soon', async () => {
    const service = await start(newDataDir(), new ManualClock(firstMicros), false, { shutdownMs: '100' });
    const headers = { 'x-api-key': service.adminToken ?? '' };
    const numbers = 'unnest(generate_array(1, 9000))';
    const sql = `select count(*) as n from ${numbers} as a, ${numbers} as b, ${numbers} as c where mod(a * b + c, 7) = 8`;
    const query = new URLSearchParams({ project: 'p', sql });
    const long = fetch(`${service.url}/api/endpoints/query/logs.all?${query}`, { headers });
    const stages = async () => {
      const response = await fetch(`${service.url}/api/queries`, { headers });
      const { queries } = (await response.json()) as { readonly queries: readonly { readonly stage: string }[] };
      return queries.map(({ stage }) => stage);
    };
    await expect.poll(stages).toEqual(['running']);
    observed.length = 0;
    const closing = service.close('with a query that runs');
    const answer = await long;
    expect([answer.status, ((await answer.json()) as { readonly code: string }).code]).toEqual([
      503,
      'service.draining',
    ]);
    expect(answer.headers.get('retry-after')).toMatch(/^[0-9]+$/);
    await closing;
    expect(observed.filter(({ kind }) => kind === 'warning')).toEqual([]);
  });

  it('is not ready any more once it closes, and closes once however often it is asked', async () => {
    const service = await start(newDataDir(), new ManualClock(firstMicros), false);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    observed.length = 0;
    await Promise.all([service.close('first'), service.close('second')]);
    await expect(fetch(`${service.url}/readyz`)).rejects.toThrow();
    expect(observed.filter(({ kind }) => kind === 'warning')).toEqual([]);
  });
});
