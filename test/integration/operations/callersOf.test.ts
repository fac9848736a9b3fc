import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemTimer } from '../../../src/core/timer.ts';
import { QueryQueue } from '../../../src/invoke/queryQueue.ts';
import type { CallersOf } from '../../../src/manage/recentCallers.ts';
import { createCallersOf } from '../../../src/observe/callersOf.ts';
import { MemoryTokenRuns } from '../../../src/stores/memory/memoryTokenRuns.ts';
import { UsageStore } from './usageStore.ts';

const mine = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
const another = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
const dayMs = 24 * 60 * 60 * 1000;

let store: UsageStore;
let callersOf: CallersOf;
const queue = new QueryQueue({ concurrency: 1, waitingMax: 10, waitMsMax: 60_000 }, systemTimer, new MemoryTokenRuns());
const runner = { id: 'me', concurrencyMax: null };

/** Those of one endpoint. */
const of = async (endpointId: string, sinceMicros: number, onlyToken: string | null = null) =>
  (await callersOf({ endpointIds: [endpointId], sinceMicros, onlyToken, runner })).get(endpointId.toLowerCase());

beforeAll(async () => {
  store = await UsageStore.open();
  callersOf = createCallersOf({ usage: store.usage, engine: store.engine, queue, clock: store.storage.clock });
});
afterAll(async () => {
  await store.close();
});

const call = (id: string, token: string, status = 200, answeredMs = 5) =>
  store.record({ endpoint: { id, name: 'logs.all', version: 1 }, token, answeredMs }, status);

describe('callersOf', () => {
  it('names the tokens that called an endpoint since then, in whatever file their calls lie', async () => {
    const { clock, storage } = store.storage;
    expect(await of(mine, 0)).toEqual([]);
    call(mine, 'long-ago');
    await store.usage.flush();
    await storage.sealNow();
    clock.advanceMs(31 * dayMs);
    const sinceMicros = clock.nowMicros() - 30 * dayMs * 1000;
    clock.advanceMs(1000);
    const firstMicros = clock.nowMicros();
    for (let n = 0; n < 3; n++) call(mine, 'often');
    call(mine, 'slow', 200, 2000);
    call(another, 'elsewhere');
    await store.usage.flush();
    await storage.sealNow();
    clock.advanceMs(1000);
    call(mine, 'often', 400);
    const expected = [
      { token: 'often', calls: 4, lastMicros: clock.nowMicros() },
      { token: 'slow', calls: 1, lastMicros: firstMicros },
    ];
    expect(await of(mine.toUpperCase(), sinceMicros)).toEqual(expected);
    expect((await of(mine, 0))?.map(({ token }) => token)).toEqual(['often', 'long-ago', 'slow']);
    expect(await of(mine, 0, 'slow')).toEqual([expected[1]]);
    expect(store.observations).toEqual([]);
  });

  it('reads of many endpoints in one query, which waits in the queue as any other', async () => {
    const release = await queue.acquire(runner, AbortSignal.timeout(60_000));
    let runs = 0;
    const { engine } = store;
    const counting = createCallersOf({
      usage: store.usage,
      engine: {
        run: (...given) => {
          runs += 1;
          return engine.run(...given);
        },
      },
      queue,
      clock: store.storage.clock,
    });
    const unknown = Array.from({ length: 997 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
    const asked = counting({ endpointIds: [mine, ...unknown, another], sinceMicros: 0, onlyToken: null, runner });
    await expect.poll(() => queue.waitingCount).toBe(1);
    expect(runs).toBe(0);
    release();
    const found = await asked;
    expect(runs).toBe(1);
    expect(found.size).toBe(999);
    expect(found.get(mine)?.map(({ token, calls }) => [token, calls])).toEqual([
      ['often', 4],
      ['long-ago', 1],
      ['slow', 1],
    ]);
    expect(found.get(another)?.map(({ token }) => token)).toEqual(['elsewhere']);
    expect(queue.runningCount).toBe(0);
  });
});
