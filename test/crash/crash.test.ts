import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { build } from '../acceptance/startedService.ts';
import { patience } from '../support/patience.ts';
import { declareWebhooks } from './batches.ts';
import { BatchSenders, type SentBatches } from './batchSenders.ts';
import { KillableService } from './killableService.ts';
import { brokenBatches, query, storedBatches } from './storedBatches.ts';

/** `CRASH_KILLS=200 npm test -- test/crash/crash.test.ts` kills more often. */
const kills = Number(process.env.CRASH_KILLS ?? 12);
const answersAgainMs = 5000;
/** Enough for several rotations, however slow the machine is. */
const batchesBetweenKills = 14;

beforeAll(() => build());

let dataDir: string;
let webhooksFile: string;
let service: KillableService;

const startService = () => new KillableService(dataDir, { LOGMILL_WEBHOOKS_FILE: webhooksFile });

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'logmill-crash-'));
  dataDir = join(folder, 'data');
  webhooksFile = declareWebhooks(folder);
  service = startService();
});

afterEach(async () => {
  if (service.isRunning) await service.end('SIGKILL');
  await rm(dirname(dataDir), { recursive: true, force: true });
});

/** Moments from 0 to `maxMs`, evenly distributed but in no order. */
const spread = (n: number, maxMs: number): number => Math.round(((n * 0.618_034) % 1) * maxMs);

/** Looks for broken batches repeatedly; keeps all that it ever saw. */
function watch(): {
  readonly seen: unknown[];
  looks: number;
  /** Resolves after one more look. Rejects if an answer was wrong. */
  lookOnceMore(): Promise<void>;
  stop(): Promise<void>;
} {
  let isStopped = false;
  const watcher = {
    seen: [] as unknown[],
    looks: 0,
    lookOnceMore: async () => {
      const before = watcher.looks;
      while (watcher.looks === before) await Promise.race([watching, delay(5)]);
    },
    stop: async () => {
      isStopped = true;
      await watching;
    },
  };
  const watching = (async () => {
    while (!isStopped) {
      const broken = await service.url.then(brokenBatches, () => undefined);
      watcher.looks += broken === undefined ? 0 : 1;
      watcher.seen.push(...(broken ?? []));
      await delay(30);
    }
  })();
  // `stop` reports the error.
  watching.catch(() => undefined);
  return watcher;
}

async function expectEveryEventOnce(sent: SentBatches): Promise<void> {
  const url = await service.url;
  expect(await brokenBatches(url)).toEqual([]);
  const stored = await storedBatches(url);
  expect([...sent.acknowledged].filter((name) => !stored.has(name))).toEqual([]);
  expect([...stored].filter((name) => !sent.acknowledged.has(name) && !sent.unsettled.has(name))).toEqual([]);
}

const loggedBy = (services: readonly KillableService[], kind: string) => services.flatMap((each) => each.logged(kind));

/** What the run must have met to prove anything. The last process seals files in the background. */
async function expectRotationAndSealing(services: readonly KillableService[]): Promise<void> {
  for (const kind of ['file.rotated', 'file.sealed']) {
    await expect.poll(() => loggedBy(services, kind).length, { message: kind }).toBeGreaterThan(3);
  }
}

it(`has every acknowledged event exactly once after ${kills} kills of the service, and retried batches once`, async () => {
  const senders = new BatchSenders(() => service.url);
  const watcher = watch();
  const services = [service];
  for (let n = 0; n < kills; n++) {
    // Every fourth one dies while it starts, which includes the replay of the log.
    const isStarting = n % 4 === 3;
    if (!isStarting) {
      await service.url;
      await senders.acknowledgeMore(batchesBetweenKills);
      await watcher.lookOnceMore();
    }
    await delay(isStarting ? 100 + spread(n, 250) : spread(n, 250));
    await service.end('SIGKILL');
    service = startService();
    services.push(service);
  }
  await service.url;
  await senders.stop();
  await watcher.stop();
  expect(watcher.seen).toEqual([]);
  expect(watcher.looks).toBeGreaterThan(kills / 2);
  expect(senders.retried).toBeGreaterThan(kills);
  await expectEveryEventOnce(senders);
  await expectRotationAndSealing(services);
  await service.end('SIGTERM');
  service = startService();
  services.push(service);
  await expectEveryEventOnce(senders);
  expect(loggedBy(services, 'file.damaged')).toEqual([]);
});

it(`has every event exactly once after ${kills} kills of the engine, and answers within five seconds each time`, async () => {
  const url = await service.url;
  const senders = new BatchSenders(() => service.url);
  const watcher = watch();
  let slowestMs = 0;
  for (let n = 0; n < kills; n++) {
    await senders.acknowledgeMore(batchesBetweenKills);
    await watcher.lookOnceMore();
    await delay(spread(n, 250));
    const { enginePid } = service;
    if (enginePid === undefined) throw new Error('no engine was started');
    process.kill(enginePid, 'SIGKILL');
    const killedMs = performance.now();
    while (service.enginePid === enginePid) await delay(5);
    while ((await query(url, 'select count(*) as n from edge_logs')) === undefined) await delay(5);
    slowestMs = Math.max(slowestMs, performance.now() - killedMs);
  }
  await senders.stop();
  await watcher.stop();
  expect(slowestMs).toBeLessThan(answersAgainMs * patience());
  expect(service.isRunning).toBe(true);
  expect(watcher.seen).toEqual([]);
  expect(watcher.looks).toBeGreaterThanOrEqual(kills);
  // The service itself survived: it settled every batch without the client's help.
  expect([...senders.unsettled]).toEqual([]);
  await expectEveryEventOnce(senders);
  await expectRotationAndSealing([service]);
  await service.end('SIGTERM');
  const services = [service];
  service = startService();
  services.push(service);
  await expectEveryEventOnce(senders);
  expect(loggedBy(services, 'file.damaged')).toEqual([]);
});
