import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ArrivalNumbers, TakenArrivals } from './arrivalNumbers.ts';

/** No numbers taken yet, as two nodes see them; one object if the adapter serves one node. */
export interface ArrivalNumbersHarness {
  readonly numbers: ArrivalNumbers;
  readonly elsewhere: ArrivalNumbers;
  /** Resolves when each node has said which numbers it holds. */
  exchange(): Promise<void>;
  /** Opens the numbers again after all nodes have ended. */
  reopen(): Promise<ArrivalNumbers>;
  close(): Promise<void>;
}

/** Requirements of every ArrivalNumbers. */
export function arrivalNumbersContract(name: string, open: () => Promise<ArrivalNumbersHarness>): void {
  describe(`${name} as arrival numbers`, () => {
    let harness: ArrivalNumbersHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.close();
    });

    const watermarks = async () => {
      await harness.exchange();
      return [await harness.numbers.watermark(), await harness.elsewhere.watermark()] as const;
    };
    const last = ({ first, count }: TakenArrivals) => first + count - 1;

    it('gives each number once, over all nodes, and in order within a node', async () => {
      const taken = await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const node = n % 2 === 0 ? harness.numbers : harness.elsewhere;
          return { node: n % 2, ...(await node.take(1 + 37 * n)) };
        }),
      );
      const sorted = [...taken].sort((a, b) => a.first - b.first);
      for (const [at, { first }] of sorted.entries()) {
        const before = sorted[at - 1];
        if (before !== undefined) expect(first).toBeGreaterThan(before.first + before.count - 1);
      }
      for (const node of [0, 1]) {
        const firsts = taken.filter((each) => each.node === node).map(({ first }) => first);
        expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
      }
    });

    it('gives more numbers at once than it keeps ready', async () => {
      const large = await harness.numbers.take(1_000_000);
      expect((await harness.numbers.take(1)).first).toBeGreaterThan(last(large));
      expect((await harness.elsewhere.take(1)).first).not.toBe(large.first);
    });

    it('holds the watermark below every number that can still appear, for every node', async () => {
      const first = await harness.numbers.take(5);
      const second = await harness.numbers.take(5);
      const there = await harness.elsewhere.take(5);
      const lowest = () =>
        Math.min(...[first, second, there].filter((each) => !ended.has(each)).map((each) => each.first));
      const ended = new Set<TakenArrivals>();
      for (const next of [second, first, there]) {
        for (const watermark of await watermarks()) expect(watermark).toBeLessThanOrEqual(lowest());
        ended.add(next);
        next.end();
        next.end();
      }
    });

    it('raises the watermark above all numbers once they have ended and no node takes any', async () => {
      const taken = [await harness.numbers.take(5), await harness.elsewhere.take(7), await harness.numbers.take(9)];
      for (const each of taken) each.end();
      const highest = Math.max(...taken.map(last));
      for (let n = 0; n < 3; n++) await harness.exchange();
      for (const watermark of await watermarks()) expect(watermark).toBeGreaterThan(highest);
    });

    it('never lowers the watermark', async () => {
      let before = 0;
      for (let n = 0; n < 10; n++) {
        const taken = await (n % 2 === 0 ? harness.numbers : harness.elsewhere).take(3);
        const [here, there] = await watermarks();
        expect(Math.min(here, there)).toBeGreaterThanOrEqual(before);
        expect(taken.first).toBeGreaterThanOrEqual(Math.max(here, there));
        before = Math.max(here, there);
        taken.end();
      }
    });

    it('says that numbers may be stored just after they were taken', async () => {
      expect((await harness.numbers.take(1)).isCurrent()).toBe(true);
    });

    it('gives no number twice after a restart', async () => {
      const taken = [await harness.numbers.take(5), await harness.elsewhere.take(7)];
      const reopened = await harness.reopen();
      expect((await reopened.take(1)).first).toBeGreaterThan(Math.max(...taken.map(last)));
    });
  });
}
