import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RequestCounter } from './requestCounter.ts';

/** New buckets, as two nodes see them; one object if the adapter serves one node. */
export interface RequestCounterHarness {
  readonly counter: RequestCounter;
  readonly elsewhere: RequestCounter;
  /** Resolves when the nodes have exchanged their counts. */
  exchange(): Promise<void>;
  close?(): Promise<void>;
}

const rate = { requests: 100, seconds: 50 };
const second = 1e6;

/** Requirements of every RequestCounter. */
export function requestCounterContract(
  name: string,
  open: () => RequestCounterHarness | Promise<RequestCounterHarness>,
): void {
  describe(`${name} as a counter of requests`, () => {
    let harness: RequestCounterHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.close?.();
    });

    /** How many of these requests, to one node and the other by turns, are allowed. */
    async function allowed(count: number, atSeconds: number, key = 'a'): Promise<number> {
      let found = 0;
      for (let n = 0; n < count; n++) {
        const node = n % 2 === 0 ? harness.counter : harness.elsewhere;
        if (node.take([{ key, rate }], atSeconds * second).isAllowed) found++;
        if (n % 5 === 4) await harness.exchange();
      }
      return found;
    }

    function expectWithinTenth(count: number, expected: number): void {
      expect(count).toBeGreaterThanOrEqual(0.9 * expected);
      expect(count).toBeLessThanOrEqual(1.1 * expected);
    }

    it('allows a burst of one window, then the rate, to all nodes together', async () => {
      expectWithinTenth(await allowed(150, 0), 100);
      expectWithinTenth(await allowed(150, 10), 20);
      expectWithinTenth(await allowed(150, 10_000), 100);
    });

    it('counts each bucket by itself', async () => {
      await allowed(150, 0);
      expectWithinTenth(await allowed(150, 0, 'b'), 100);
    });

    it('neither fills nor empties a bucket if the clock is set back', async () => {
      await allowed(50, 100);
      expectWithinTenth(await allowed(150, 0), 50);
      expectWithinTenth(await allowed(150, 10), 20);
    });

    it('takes nothing from a bucket if another one refuses, and says what is left in each', () => {
      const small = { key: 'small', rate: { requests: 1, seconds: 50 } };
      const large = { key: 'large', rate };
      expect(harness.counter.take([small, large], 0)).toEqual({ isAllowed: true, levels: [0, 99] });
      expect(harness.counter.take([small, large], 0)).toEqual({ isAllowed: false, levels: [0, 99] });
      expect(harness.counter.take([small, large], 25 * second)).toEqual({ isAllowed: false, levels: [0.5, 100] });
      expect(harness.counter.take([large], 25 * second)).toEqual({ isAllowed: true, levels: [99] });
    });
  });
}
