import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '../core/observation.ts';
import type { UsageCounter } from './usageCounter.ts';

/** Nothing counted yet, as two nodes see it; one object if the adapter serves one node. */
export interface UsageCounterHarness {
  readonly usage: UsageCounter;
  readonly elsewhere: UsageCounter;
  /** How many calls of the token are stored. */
  stored(token: string): number | Promise<number>;
  /** Makes the next attempts to store fail. */
  failNext(attempts: number): void;
  close?(): Promise<void>;
}

const call = (token: string): Observation => ({
  kind: 'request.completed',
  requestId: 'r',
  route: 'endpoints.query',
  status: 200,
  elapsedMs: 9,
  call: {
    endpoint: { id: 'd9a2e433-3286-44d9-a3b2-96b88c809d76', name: 'logs.all', version: 1 },
    token,
    isCallerQuery: false,
    cache: 'bypass',
    rowCount: 1,
    bytes: 10,
    answeredMs: 5,
    stagesMs: { run: 4 },
  },
});

/** Requirements of every UsageCounter. */
export function usageCounterContract(
  name: string,
  open: () => UsageCounterHarness | Promise<UsageCounterHarness>,
): void {
  describe(`${name} as a counter of usage`, () => {
    let harness: UsageCounterHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.close?.();
    });

    it('stores each counted call once, also those of other nodes', async () => {
      for (let n = 0; n < 3; n++) harness.usage.record(call('a'));
      harness.usage.record(call('b'));
      harness.elsewhere.record(call('a'));
      for (let n = 0; n < 2; n++) await harness.elsewhere.flush();
      expect([await harness.stored('a'), await harness.stored('b')]).toEqual([4, 1]);
    });

    it('counts nothing but calls of endpoints', async () => {
      const { call: _, ...probe } = call('a') as Extract<Observation, { kind: 'request.completed' }>;
      harness.usage.record(probe);
      await harness.usage.flush();
      expect(await harness.stored('a')).toBe(0);
    });

    it('stores counts with the next attempt if one fails', async () => {
      harness.usage.record(call('a'));
      harness.failNext(1);
      await harness.usage.flush();
      expect(await harness.stored('a')).toBe(0);
      harness.usage.record(call('a'));
      await harness.usage.flush();
      await harness.usage.flush();
      expect(await harness.stored('a')).toBe(2);
    });
  });
}
