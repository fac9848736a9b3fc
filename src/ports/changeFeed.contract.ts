import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ChangeFeed,
  type CountsChanges,
  type Generations,
  type SharedSubject,
  sharedSubjects,
} from './changeFeed.ts';

/** A feed, and the stores whose changes it counts. */
export interface ChangeFeedHarness {
  readonly feed: ChangeFeed;
  /** The same feed as another node reads it. */
  readonly elsewhere: ChangeFeed;
  /**
   * Every kind of change of each subject. `failing` has changes that fail in their commit, for subjects that have one.
   */
  readonly changes: Readonly<Record<SharedSubject, readonly (() => Promise<unknown>)[]>>;
  /** Stores that count changes themselves: the one that makes those changes, and one of another node. */
  readonly counting: Readonly<Partial<Record<SharedSubject, readonly [CountsChanges, CountsChanges]>>>;
  readonly failing: Readonly<Partial<Record<SharedSubject, () => Promise<unknown>>>>;
  close(): Promise<void>;
}

/** Requirements of every ChangeFeed. */
export function changeFeedContract(name: string, open: () => Promise<ChangeFeedHarness>): void {
  describe(`${name} as a feed of changes`, () => {
    let harness: ChangeFeedHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.close();
    });

    it.each(sharedSubjects)('counts every change of %s, for every node, and nothing else with it', async (subject) => {
      let before = await harness.feed.read();
      expect(harness.changes[subject].length).toBeGreaterThan(0);
      for (const change of harness.changes[subject]) {
        await change();
        const after = await harness.feed.read();
        expect(after[subject]).toBeGreaterThan(before[subject]);
        expect(without(subject, after)).toEqual(without(subject, before));
        expect(await harness.elsewhere.read()).toEqual(after);
        before = after;
      }
    });

    it.each(sharedSubjects)(
      'has the store of %s count as it does, and say that it has seen changes of its own',
      async (subject) => {
        const [own, others] = harness.counting[subject] ?? [];
        if (own === undefined || others === undefined) return;
        for (const change of harness.changes[subject]) {
          const before = [own.changesSeen, others.changesSeen];
          await change();
          const { [subject]: counted } = await harness.feed.read();
          expect([await own.generation(), await others.generation()]).toEqual([counted, counted]);
          expect([own.changesSeen > (before[0] ?? 0), others.changesSeen]).toEqual([true, before[1]]);
        }
      },
    );

    it.each(sharedSubjects)('counts no change of %s that fails', async (subject) => {
      const before = await harness.feed.read();
      const failing = harness.failing[subject];
      if (failing === undefined) return;
      await expect(failing()).rejects.toThrow();
      expect(await harness.feed.read()).toEqual(before);
    });
  });
}

const without = (subject: SharedSubject, generations: Generations) => ({ ...generations, [subject]: 0 });
