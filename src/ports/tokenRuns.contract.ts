import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TokenRuns } from './tokenRuns.ts';

/** New counts, as two nodes see them; one object if the adapter serves one node. */
export interface TokenRunsHarness {
  readonly runs: TokenRuns;
  readonly elsewhere: TokenRuns;
  /** Resolves when the nodes have exchanged their counts. */
  exchange(): Promise<void>;
  close?(): Promise<void>;
}

/** Requirements of every TokenRuns. */
export function tokenRunsContract(name: string, open: () => TokenRunsHarness | Promise<TokenRunsHarness>): void {
  describe(`${name} as a counter of running queries`, () => {
    let harness: TokenRunsHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.close?.();
    });

    /** Begins a query as soon as the node allows it; null if it does not, after several exchanges. */
    async function begun(node: TokenRuns, tokenId: string, limit: number): Promise<(() => void) | null> {
      for (let n = 0; n < 5; n++) {
        if (node.mayBegin(tokenId, limit)) return node.begin(tokenId);
        await harness.exchange();
      }
      return null;
    }

    it('allows as many queries of a token as its limit, on any node', async () => {
      const { runs, elsewhere } = harness;
      const ends = [await begun(runs, 'a', 3), await begun(elsewhere, 'a', 3), await begun(elsewhere, 'a', 3)];
      expect(ends).not.toContain(null);
      expect([await begun(runs, 'a', 3), await begun(elsewhere, 'a', 3)]).toEqual([null, null]);
      expect(await begun(runs, 'b', 3)).not.toBeNull();
      for (const end of ends) end?.();
      for (let n = 0; n < 3; n++) expect(await begun(runs, 'a', 3)).not.toBeNull();
      expect(await begun(elsewhere, 'a', 3)).toBeNull();
    });

    it('allows no more than the limit to nodes that ask at the same time', async () => {
      const nodes = [harness.runs, harness.elsewhere];
      const begin = (node: TokenRuns) => (node.mayBegin('a', 5) ? [node.begin('a')] : []);
      const ends: (() => void)[] = [];
      // Nodes that ask at the same time may hand the last slot to each other a few times.
      for (let n = 0; n < 20 || (ends.length < 5 && n < 200); n++) {
        for (const node of nodes) ends.push(...begin(node));
        if (n % 2 === 0) await harness.exchange();
        expect(ends.length).toBeLessThanOrEqual(5);
      }
      expect(ends).toHaveLength(5);
    });

    it('gives every node its turn if all have waiting queries', async () => {
      const { runs, elsewhere } = harness;
      const wins = [0, 0];
      // Waiting queries ask again whenever one may begin.
      for (const node of [runs, elsewhere]) node.whenFreed(() => void node.mayBegin('a', 1));
      let end = await begun(runs, 'a', 1);
      for (let n = 0; n < 40; n++) {
        // Both wait; the one that ended its query asks first.
        for (const node of [runs, elsewhere]) node.mayBegin('a', 1);
        await harness.exchange();
        end?.();
        end = null;
        for (let tries = 0; tries < 6; tries++) {
          const at = [runs, elsewhere].findIndex((node) => node.mayBegin('a', 1));
          if (at >= 0) {
            wins[at] = (wins[at] ?? 0) + 1;
            end = [runs, elsewhere][at]?.begin('a') ?? null;
            break;
          }
          await harness.exchange();
        }
      }
      expect(wins[0]).toBeGreaterThan(0);
      if (runs !== elsewhere) expect(wins[1]).toBeGreaterThan(5);
    });

    it('counts what begins and ends on this node at once', async () => {
      const end = await begun(harness.runs, 'a', 1);
      expect(harness.runs.mayBegin('a', 1)).toBe(false);
      end?.();
      await harness.exchange();
      expect(harness.runs.mayBegin('a', 1)).toBe(true);
    });

    it('reports that a query may begin, after an end on any node', async () => {
      const { runs, elsewhere } = harness;
      const end = await begun(runs, 'a', 1);
      let mayBegin = false;
      elsewhere.whenFreed(() => {
        mayBegin ||= elsewhere.mayBegin('a', 1);
      });
      expect(elsewhere.mayBegin('a', 1)).toBe(false);
      await harness.exchange();
      expect(mayBegin).toBe(false);
      end?.();
      for (let n = 0; n < 5 && !mayBegin; n++) await harness.exchange();
      expect(mayBegin).toBe(true);
    });
  });
}
