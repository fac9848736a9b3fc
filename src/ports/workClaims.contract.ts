import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkClaims } from './workClaims.ts';

/** No claims yet. The second node is null if the adapter serves one node. */
export interface WorkClaimsHarness {
  readonly claims: WorkClaims;
  readonly elsewhere: WorkClaims | null;
  close(): Promise<void>;
}

/** Requirements of every WorkClaims. */
export function workClaimsContract(name: string, open: () => Promise<WorkClaimsHarness>): void {
  describe(`${name} as claims of work`, () => {
    let harness: WorkClaimsHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.close();
    });

    it('gives the work to the node that asks first, as often as it asks', async () => {
      expect(await harness.claims.claim('a', 60)).toBe(true);
      expect(await harness.claims.claim('a', 60)).toBe(true);
      expect(await harness.claims.claim('b'.repeat(100_000), 60)).toBe(true);
    });

    it('gives a claim to one of several nodes that ask at the same time, and others for other keys', async () => {
      const { claims, elsewhere } = harness;
      if (elsewhere === null) return;
      for (const key of ['a', 'b', 'c', 'd']) {
        const given = await Promise.all([claims, elsewhere].map(async (node) => await node.claim(key, 60)));
        expect(given.filter(Boolean)).toHaveLength(1);
      }
      await claims.claim('e', 60);
      expect([await elsewhere.claim('e', 60), await elsewhere.claim('f', 60)]).toEqual([false, true]);
    });

    it('gives a claim to another node after it has ended', async () => {
      const { claims, elsewhere } = harness;
      if (elsewhere === null) return;
      await claims.claim('a', 0.2);
      await expect.poll(() => elsewhere.claim('a', 60)).toBe(true);
      expect(await claims.claim('a', 60)).toBe(false);
    });
  });
}
