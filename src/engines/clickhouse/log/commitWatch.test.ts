import { expect, it } from 'vitest';
import type { Observation } from '../../../core/observation.ts';
import { ManualTimer } from '../../../core/timer.ts';
import { CommitWatch } from './commitWatch.ts';

const added = (source: string) => () => [{ source, projects: new Map([['p', 1]]) }];

it('knows what commits of this node added, also if several are settled at once, and of others nothing', () => {
  const timer = new ManualTimer();
  const watch = new CommitWatch({ refresh: async () => undefined, timer, observe: () => undefined });
  const seen: (readonly string[] | null)[] = [];
  watch.expect({ first: 1, end: 3 }, added('before'));
  const unwatch = watch.watch((commit) => void seen.push(commit?.map(({ source }) => source) ?? null));
  watch.advanced({ first: 1, end: 3 });
  watch.expect({ first: 3, end: 5 }, added('a'));
  watch.advanced({ first: 3, end: 5 });
  watch.expect({ first: 5, end: 6 }, added('b'));
  watch.expect({ first: 6, end: 8 }, added('c'));
  watch.advanced({ first: 5, end: 8 });
  watch.expect({ first: 9, end: 10 }, added('d'));
  watch.advanced({ first: 8, end: 10 });
  watch.advanced({ first: 10, end: 11 });
  expect(seen).toEqual([null, ['a'], ['b', 'c'], null, null]);
  unwatch();
  watch.advanced({ first: 11, end: 12 });
  expect([seen.length, timer.pendingCount]).toEqual([5, 0]);
});

it('forgets what its commits added if many wait for one of another node, and knows it of later ones', () => {
  const watch = new CommitWatch({
    refresh: async () => undefined,
    timer: new ManualTimer(),
    observe: () => undefined,
  });
  const seen: (number | null)[] = [];
  watch.watch((commit) => void seen.push(commit?.length ?? null));
  const expectFrom = (first: number, count: number) => {
    for (let n = first; n < first + count; n++) watch.expect({ first: n, end: n + 1 }, added('a'));
  };
  expectFrom(2, 256);
  watch.advanced({ first: 2, end: 258 });
  expectFrom(258, 257);
  watch.advanced({ first: 258, end: 515 });
  expectFrom(515, 3);
  watch.advanced({ first: 515, end: 518 });
  expect(seen).toEqual([256, null, 3]);
});

it('reads the ledger only while somebody watches, one at a time, and says once that it cannot', async () => {
  const timer = new ManualTimer();
  const reads: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const observations: Observation[] = [];
  const watch = new CommitWatch({
    refresh: () => new Promise<void>((resolve, reject) => reads.push({ resolve, reject })),
    timer,
    observe: (each) => void observations.push(each),
  });
  const settled = async () => await new Promise(setImmediate);
  timer.advanceMs(1000);
  const unwatch = watch.watch(() => undefined);
  timer.advanceMs(100);
  timer.advanceMs(100);
  expect(reads).toHaveLength(1);
  // Nobody watches for a moment.
  unwatch();
  const again = watch.watch(() => undefined);
  reads[0]?.resolve();
  await settled();
  expect(timer.pendingCount).toBe(1);
  const counts: number[] = [];
  for (const [n, waitMs] of [100, 10_000, 100].entries()) {
    timer.advanceMs(waitMs);
    reads[n + 1]?.reject(new Error('no store'));
    await settled();
    counts.push(observations.length);
  }
  expect([reads.length, counts]).toEqual([4, [0, 1, 1]]);
  again();
  expect(timer.pendingCount).toBe(0);
});
