import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommitLedger, identityAgeMs, LedgerWentBack } from './commitLedger.ts';

export interface LedgerHarness {
  /** Two nodes look at the same ledger. */
  readonly ledgers: readonly [CommitLedger, CommitLedger];
  close(): Promise<void>;
}

const now = 1_700_000_000_000_000;
const identity = (key: string, digest = 'd') => ({ key, digest, answer: `{"of":"${key}"}` });
const events = (count: number, key?: string, digest?: string) => ({
  events: count,
  identity: key === undefined ? null : identity(key, digest),
});

/** Requirements of every CommitLedger. */
export function commitLedgerContract(name: string, open: () => Promise<LedgerHarness>): void {
  describe(`${name} as a ledger of commits`, () => {
    let harness: LedgerHarness;
    let a: CommitLedger;
    let b: CommitLedger;
    beforeEach(async () => {
      harness = await open();
      [a, b] = harness.ledgers;
    });
    afterEach(async () => {
      await harness.close();
    });
    const begin = async (ledger: CommitLedger, node: string, ...batches: readonly ReturnType<typeof events>[]) => {
      const { commit, batches: begun } = await ledger.begin(node, batches, now);
      return { commit: commit ?? -1, begun };
    };

    it('gives batches consecutive numbers, and later commits higher ones, on all nodes', async () => {
      const first = await begin(a, 'a', events(3), events(2));
      const second = await begin(b, 'b', events(1));
      const [one, two] = first.begun.map((each) => (each.kind === 'begun' ? each.first : -1));
      expect(two).toBe((one ?? 0) + 3);
      expect(second.begun).toEqual([{ kind: 'begun', first: (two ?? 0) + 2 }]);
    });

    it('yields the identities of complete commits, and remembers those of another store', async () => {
      const { commit } = await begin(a, 'a', events(1, 'k'));
      const all = async () => {
        const found = [];
        for await (const page of b.identities()) found.push(...page);
        return found;
      };
      expect(await all()).toEqual([]);
      await a.complete(commit, 'a', now);
      const [known] = await all();
      expect(known).toMatchObject({ answer: identity('k').answer, storedMicros: now });
      // More than a page, of which many were stored at the same time.
      const others = Array.from({ length: 2_500 }, (_, n) => ({
        key: `other ${String(n).padStart(4, '0')}`,
        digest: 'd',
        answer: 'x',
        storedMicros: now + 1 + Math.floor(n / 1_200),
      }));
      await a.remember(others);
      await a.remember(others);
      expect(await all()).toEqual([known, ...others]);
    });

    it('gives each number once, whoever asks at the same time', async () => {
      const begun = await Promise.all(
        Array.from({ length: 20 }, async (_, n) => await begin(n % 2 === 0 ? a : b, `node${n}`, events(5))),
      );
      const firsts = begun.map(({ commit }) => commit).sort((x, y) => x - y);
      expect(firsts).toEqual(Array.from({ length: 20 }, (_, n) => (firsts[0] ?? 0) + n * 5));
      expect(await a.takeNumber()).toBe((firsts[0] ?? 0) + 100);
    });

    it('gives no number below one that a node knows to be given, and changes nothing then', async () => {
      const { commit } = await begin(a, 'a', events(3));
      const before = await a.state();
      const known = commit + 4;
      await expect(b.begin('b', [events(1, 'k')], now, known)).rejects.toThrow(LedgerWentBack);
      await expect(b.takeNumber(known)).rejects.toThrow(LedgerWentBack);
      expect(await a.state()).toEqual(before);
      expect(await a.recall(identity('k'))).toBeNull();
      expect(await b.takeNumber(known - 1)).toBe(commit + 3);
    });

    it('hides the numbers of a commit until it is complete', async () => {
      const { commit } = await begin(a, 'a', events(3));
      const range = { first: commit, end: commit + 3 };
      expect(await b.state()).toEqual({ end: commit + 3, hidden: [range], watermark: commit });
      const later = await begin(b, 'b', events(1));
      expect(await b.complete(later.commit, 'b', now)).toEqual({ end: commit + 4, hidden: [range], watermark: commit });
      expect(await a.complete(commit, 'a', now)).toEqual({ end: commit + 4, hidden: [], watermark: commit + 4 });
      expect(await a.complete(commit, 'a', now)).toMatchObject({ hidden: [] });
    });

    it('recognises a batch of a complete commit, on every node', async () => {
      const { commit } = await begin(a, 'a', events(1, 'k'));
      expect(await b.recall(identity('k'))).toEqual({ kind: 'pending' });
      expect((await begin(b, 'b', events(1, 'k'))).begun).toEqual([{ kind: 'pending' }]);
      await a.complete(commit, 'a', now);
      expect(await b.recall(identity('k'))).toEqual({ kind: 'duplicate', answer: identity('k').answer });
      expect(await b.recall(identity('k', 'other'))).toEqual({ kind: 'conflict' });
      expect(await b.recall(identity('unknown'))).toBeNull();
      const { commit: none, begun } = await begin(b, 'b', events(1, 'k'), events(1, 'k2'), events(0, 'k3'));
      expect(begun).toEqual([
        { kind: 'duplicate', answer: identity('k').answer },
        { kind: 'begun', first: none },
        { kind: 'begun', first: none + 1 },
      ]);
    });

    it('forgets the identities of an abandoned commit, and hides its numbers for good', async () => {
      const { commit } = await begin(a, 'a', events(2, 'k'));
      await a.abandon('a', now);
      expect(await a.complete(commit, 'a', now)).toBeNull();
      expect(await b.recall(identity('k'))).toBeNull();
      const range = { first: commit, end: commit + 2 };
      expect(await b.state()).toEqual({ end: range.end, hidden: [range], watermark: range.end });
      expect(await b.abandonedBefore(now)).toEqual([]);
      expect(await b.abandonedBefore(now + 1)).toEqual([range]);
      await b.forget([range]);
      expect((await a.state()).hidden).toEqual([]);
    });

    it('abandons the commit of a node that begins another one, or is silent', async () => {
      const first = await begin(a, 'a', events(1, 'k'));
      const second = await begin(a, 'a', events(1));
      expect(await a.complete(first.commit, 'a', now)).toBeNull();
      const marks = await b.hear('b', now + 3_600_000_000);
      expect([...marks.keys()]).toEqual(['a']);
      expect(await a.complete(second.commit, 'a', now)).not.toBeNull();
      const third = await begin(a, 'a', events(1));
      expect((await b.hear('b', now, await b.hear('b', now))).size).toBe(0);
      expect(await a.complete(third.commit, 'a', now)).toBeNull();
      expect([...(await a.hear('a', now)).keys()]).toEqual(['b']);
    });

    it('abandons nothing of a node that was heard of since', async () => {
      const { commit } = await begin(a, 'a', events(1));
      const marks = await b.hear('b', now);
      // Its clock may have been put back, or stand still.
      await a.hear('a', now - 1);
      const later = await b.hear('b', now, marks);
      await a.hear('a', now - 1);
      const last = await b.hear('b', now, later);
      expect(new Set([marks, later, last].map((each) => each.get('a'))).size).toBe(3);
      expect(await a.complete(commit, 'a', now)).not.toBeNull();
    });

    it('forgets no commit that is open', async () => {
      const { commit } = await begin(a, 'a', events(1));
      await b.forget([{ first: commit, end: commit + 1 }]);
      expect((await b.state()).hidden).toHaveLength(1);
    });

    it('remembers identities for their time, and the last ones in any case', async () => {
      const batches = Array.from({ length: 1_200 }, (_, n) => events(0, `k${n}`));
      const { commit } = await begin(a, 'a', ...batches);
      await a.complete(commit, 'a', now);
      const late = now + (identityAgeMs + 1) * 1000;
      const { commit: next } = await begin(a, 'a', events(0, 'last'));
      await a.complete(next, 'a', late);
      await a.hear('a', late);
      expect(await b.recall(identity('last'))).toMatchObject({ kind: 'duplicate' });
      const left = await Promise.all(batches.map(async ({ identity: one }) => one !== null && (await b.recall(one))));
      expect(left.filter((each) => each !== null).length).toBeGreaterThanOrEqual(999);
    });

    it('takes numbers above a given one', async () => {
      await a.skip(5_000);
      expect(await b.takeNumber()).toBe(5_001);
      await a.skip(10);
      expect(await b.takeNumber()).toBe(5_002);
    });

    it('gives a lease to one node at a time', async () => {
      expect(await a.lease('work', 'a', now, now + 1_000)).toBe(true);
      expect(await b.lease('work', 'b', now, now + 1_000)).toBe(false);
      expect(await a.lease('work', 'a', now + 500, now + 2_000)).toBe(true);
      expect(await b.lease('other', 'b', now, now + 1_000)).toBe(true);
      expect(await b.lease('work', 'b', now + 2_000, now + 3_000)).toBe(true);
      await a.release('work', 'a');
      expect(await a.lease('work', 'a', now + 2_500, now + 4_000)).toBe(false);
      await b.release('work', 'b');
      expect(await a.lease('work', 'a', now + 2_500, now + 4_000)).toBe(true);
    });
  });
}
