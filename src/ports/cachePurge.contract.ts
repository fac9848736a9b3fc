import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CachePurge } from './cachePurge.ts';

/** Empty caches of two nodes; one cache if the adapter serves one node. */
export interface CachePurgeHarness {
  readonly node: CachedNode;
  readonly elsewhere: CachedNode;
  close?(): Promise<void>;
}

export interface CachedNode {
  readonly purge: CachePurge;
  /** Answers a call of the endpoint from the cache, or by a run that gives `fresh` once `hold` has resolved. */
  answer(endpointId: string, fresh: string, hold?: Promise<void>): Promise<string>;
}

/** Requirements of every CachePurge. */
export function cachePurgeContract(name: string, open: () => CachePurgeHarness | Promise<CachePurgeHarness>): void {
  describe(`${name} as purge of cached results`, () => {
    let harness: CachePurgeHarness;
    beforeEach(async () => {
      harness = await open();
      for (const { answer } of [harness.node, harness.elsewhere]) {
        for (const id of ['a', 'b']) {
          await answer(id, 'old');
          expect(await answer(id, 'new')).toBe('old');
        }
      }
    });

    afterEach(async () => {
      await harness.close?.();
    });

    const answers = async (endpointId: string) => [
      await harness.node.answer(endpointId, 'new'),
      await harness.elsewhere.answer(endpointId, 'new'),
    ];

    it('drops the results of one endpoint on all nodes, and says how many', async () => {
      expect(await harness.elsewhere.purge.purge('a')).toBe(1);
      expect(await answers('a')).toEqual(['new', 'new']);
      expect(await answers('b')).toEqual(['old', 'old']);
      expect(await harness.elsewhere.purge.purge('c')).toBe(0);
    });

    it('drops every result on all nodes', async () => {
      await harness.elsewhere.purge.dropAll();
      expect([await answers('a'), await answers('b')]).toEqual([
        ['new', 'new'],
        ['new', 'new'],
      ]);
    });

    it.each([
      ['one endpoint', (purge: CachePurge) => purge.purge('c')],
      ['everything', (purge: CachePurge) => purge.dropAll()],
    ])('caches no result of a run that began before a purge of %s', async (_, purge) => {
      let end = () => {};
      const running = harness.node.answer(
        'c',
        'old',
        new Promise((resolve) => {
          end = resolve;
        }),
      );
      await purge(harness.elsewhere.purge);
      end();
      expect(await running).toBe('old');
      expect(await harness.node.answer('c', 'new')).toBe('new');
    });
  });
}
