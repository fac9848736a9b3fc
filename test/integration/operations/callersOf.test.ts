import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallersOf } from '../../../src/manage/recentCallers.ts';
import { createCallersOf } from '../../../src/observe/callersOf.ts';
import { UsageStore } from './usageStore.ts';

const mine = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
const another = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
const dayMs = 24 * 60 * 60 * 1000;

let store: UsageStore;
let callersOf: CallersOf;
beforeAll(async () => {
  store = await UsageStore.open();
  callersOf = createCallersOf({ usage: store.usage, engine: store.engine, clock: store.storage.clock });
});
afterAll(async () => {
  await store.close();
});

const call = (id: string, token: string, status = 200, answeredMs = 5) =>
  store.record({ endpoint: { id, name: 'logs.all', version: 1 }, token, answeredMs }, status);

describe('callersOf', () => {
  it('names the tokens that called an endpoint since then, in whatever file their calls lie', async () => {
    const { clock, storage } = store.storage;
    expect(await callersOf(mine, 0)).toEqual([]);
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
    expect(await callersOf(mine.toUpperCase(), sinceMicros)).toEqual(expected);
    expect((await callersOf(mine, 0)).map(({ token }) => token)).toEqual(['often', 'long-ago', 'slow']);
    expect(store.observations).toEqual([]);
  });
});
