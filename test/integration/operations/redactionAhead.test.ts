import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import type { Observation } from '../../../src/core/observation.ts';
import { settingsSchema } from '../../../src/start/settings.ts';
import { type RunningService, startService } from '../../../src/start/startService.ts';

const clock = new ManualClock(Date.UTC(2026, 4, 1, 12) * 1000);
let folder: string;
let service: RunningService | undefined;
let adminToken = '';
let observations: Observation[];
/** Called with the number of function processes that were started. */
let onStarted: (count: number) => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-redaction-ahead-'));
});
afterEach(async () => {
  await service?.close('end of the test');
  rmSync(folder, { recursive: true, force: true });
});

const startedCount = () =>
  observations.filter((each) => each.kind === 'engine.started' && each.role === 'functions').length;

/** Starts the service, and resolves when it is ready; the result resolves when both function processes have started. */
async function start(): Promise<{ readonly bothStarted: Promise<void> }> {
  observations = [];
  const bothStarted = new Promise<void>((resolve) => {
    onStarted = (count) => {
      if (count === 2) resolve();
    };
  });
  service = await startService({
    settings: settingsSchema.parse({ port: 0, dataDir: join(folder, 'data'), logLevel: 'silent', diskFreeMin: 0 }),
    clock,
    randomness: systemRandomness,
    observe: (observation) => {
      observations.push(observation);
      onStarted(startedCount());
    },
    demo: false,
    progress: () => undefined,
  });
  adminToken = service.adminToken ?? adminToken;
  service.warm();
  return { bothStarted };
}

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(`${service?.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': adminToken, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([response.status, await response.text()]).toEqual([201, expect.anything()]);
}

it.each([
  ['a token', '/api/tokens', { description: 'of a test', scopes: ['query'], restrictions: { redact: true } }],
  ['an endpoint', '/api/endpoints', { name: 'private', query: 'select 1 as a', redact_pii: true }],
])(
  'starts the function processes without any query after %s that redacts was made, and with the next start',
  async (_, path, body) => {
    const first = await start();
    expect(startedCount()).toBe(0);
    await post(path, body);
    await first.bothStarted;
    await service?.close('restart');
    expect(observations.filter(({ kind }) => kind === 'warning')).toEqual([]);

    const second = await start();
    await second.bothStarted;
  },
);
