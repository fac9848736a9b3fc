import { beforeEach, describe, expect, it } from 'vitest';
import type { TokenRuns } from './tokenRuns.ts';

/** New counts, as two nodes see them; one object if the adapter serves one node. */
export interface TokenRunsHarness {
  readonly runs: TokenRuns;
  readonly elsewhere: TokenRuns;
  /** Resolves when the nodes have exchanged their counts. */
  exchange(): Promise<void>;
}

/** Requirements of every TokenRuns. */
export function tokenRunsContract(name: string, open: () => TokenRunsHarness): void {
  describe(`${name} as a counter of running queries`, () => {
    let harness: TokenRunsHarness;
    beforeEach(() => {
      harness = open();
    });

    async function counts(tokenId: string): Promise<readonly number[]> {
      await harness.exchange();
      return [harness.runs, harness.elsewhere].map((node) => node.count(tokenId));
    }

    it('counts the queries of a token that run on any node, and none that have ended', async () => {
      expect(await counts('a')).toEqual([0, 0]);
      const ends = [harness.runs.begin('a'), harness.elsewhere.begin('a'), harness.runs.begin('b')];
      expect([await counts('a'), await counts('b')]).toEqual([
        [2, 2],
        [1, 1],
      ]);
      for (const end of ends) end();
      expect([await counts('a'), await counts('b')]).toEqual([
        [0, 0],
        [0, 0],
      ]);
    });

    it('counts what begins and ends on this node at once', () => {
      const end = harness.runs.begin('a');
      expect(harness.runs.count('a')).toBe(1);
      end();
      expect(harness.runs.count('a')).toBe(0);
    });

    it('reports each end, on any node, once it is no longer counted', async () => {
      const reported: number[] = [];
      const end = harness.runs.begin('a');
      harness.elsewhere.whenEnded(() => reported.push(harness.elsewhere.count('a')));
      await harness.exchange();
      expect(reported).toEqual([]);
      end();
      await harness.exchange();
      expect(reported).toEqual([0]);
    });
  });
}
