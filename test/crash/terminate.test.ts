import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { build } from '../acceptance/startedService.ts';
import { declareWebhooks } from './batches.ts';
import { BatchSenders } from './batchSenders.ts';
import { KillableService } from './killableService.ts';
import { brokenBatches, storedBatches } from './storedBatches.ts';

const restarts = 5;

beforeAll(() => build());

let dataDir: string;
let webhooksFile: string;
let service: KillableService;

const startService = () => new KillableService(dataDir, { LOGMILL_WEBHOOKS_FILE: webhooksFile });

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'logmill-terminate-'));
  dataDir = join(folder, 'data');
  webhooksFile = declareWebhooks(folder);
  service = startService();
});

afterEach(async () => {
  if (service.isRunning) await service.end('SIGKILL');
  await rm(dirname(dataDir), { recursive: true, force: true });
});

it('loses and doubles nothing where it is told to end under load, and ends with 0 each time', async () => {
  const senders = new BatchSenders(() => service.url);
  const codes: (number | null)[] = [];
  for (let n = 0; n < restarts; n++) {
    await service.url;
    // Each time at a different moment of group commit, rotation and sealing.
    await senders.acknowledgeMore(1 + ((n * 7) % 23));
    codes.push(await service.end('SIGTERM'));
    service = startService();
  }
  const url = await service.url;
  await senders.stop();
  expect(codes).toEqual(Array.from({ length: restarts }, () => 0));
  expect(senders.retried).toBeGreaterThan(0);
  expect(await brokenBatches(url)).toEqual([]);
  const stored = await storedBatches(url);
  expect([...senders.acknowledged].filter((name) => !stored.has(name))).toEqual([]);
  expect([...stored].filter((name) => !senders.acknowledged.has(name) && !senders.unsettled.has(name))).toEqual([]);
});
