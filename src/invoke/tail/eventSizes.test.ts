import { expect, it } from 'vitest';
import { EventSizes } from './eventSizes.ts';
import type { TailPlan } from './tailPlan.ts';

const mebibyte = 1024 * 1024;

/** A tail with a condition of so many expressions. */
const tail = (wakes: readonly string[] | null = null, size: number | null = 4, source = 's') =>
  ({
    tailed: { sources: new Set([source]) },
    wakes,
    shareable: size === null ? null : { size },
  }) as unknown as TailPlan;

const commit = (bytes: number, project = 'p', source = 's') => [{ source, projects: new Map([[project, bytes]]) }];

it('reads all of small events at once', () => {
  const sizes = new EventSizes();
  for (let n = 0; n < 1000; n += 10) sizes.add(n, n + 10, commit(2000));
  expect(sizes.lastOf([tail()], 0, 1000)).toBe(1000);
  expect(sizes.lastOf(Array(128).fill(tail()), 0, 1000)).toBe(1000);
});

it('reads few large events at once, and fewer if more conditions are computed for them', () => {
  const sizes = new EventSizes();
  sizes.add(0, 100, commit(100 * mebibyte));
  const numbers = (...tails: TailPlan[]) => sizes.lastOf(tails, 0, 100);
  expect(numbers(tail())).toBe(7);
  expect(numbers(...Array(64).fill(tail()))).toBe(1);
  expect(numbers(...Array(128).fill(tail()))).toBe(1);
  // It cannot be told what it computes.
  expect(numbers(tail(null, null))).toBe(1);
});

it('counts only events that a tail may read', () => {
  const sizes = new EventSizes();
  sizes.add(0, 100, [...commit(100 * mebibyte, 'large'), ...commit(100_000, 'small'), ...commit(10, 'p', 'other')]);
  const last = (...tails: TailPlan[]) => sizes.lastOf(tails, 0, 100);
  expect(last(tail(['small']))).toBe(100);
  expect(last(tail(null, 4, 'other'))).toBe(100);
  expect(last(tail(['large']), tail(['small']))).toBe(7);
});

it('reads up to large events, and then through them', () => {
  const sizes = new EventSizes();
  sizes.add(0, 50, commit(50_000));
  sizes.add(50, 60, commit(10 * mebibyte));
  sizes.add(60, 100, commit(40_000));
  const ends: number[] = [];
  for (let at = 0; at < 100; ends.push(at)) at = sizes.lastOf([tail()], at, 100);
  expect(ends).toEqual([57, 100]);
});

it('takes events that it does not know for small ones', () => {
  const sizes = new EventSizes();
  sizes.add(1000, 1001, commit(mebibyte));
  expect(sizes.lastOf([tail()], 0, 5000)).toBe(5000);
});

it('looks up a bounded number of sizes, also for many tails that are far behind', () => {
  const sizes = new EventSizes();
  const projects = Array.from({ length: 200 }, (_, n) => `p${n}`);
  const small = projects.map((project) => [project, 500] as const);
  for (let n = 0; n < 4000; n++) sizes.add(n, n + 1, [{ source: 's', projects: new Map(small) }]);
  let lookups = 0;
  const counted = (wakes: readonly string[] | null) => ({
    tailed: {
      sources: Object.assign(new Set(['other']), {
        *[Symbol.iterator]() {
          lookups += 1 + (wakes?.length ?? 0);
          yield 'other';
        },
      }),
    },
    wakes,
    shareable: { size: 4 },
  });
  const last = (count: number, wakes: readonly string[] | null) => {
    lookups = 0;
    const tails = Array.from({ length: count }, () => counted(wakes)) as unknown as TailPlan[];
    const found = sizes.lastOf(tails, 0, 4000);
    expect(lookups).toBeLessThan(300_000);
    return found;
  };
  expect(last(1, null)).toBe(4000);
  expect(last(50, null)).toBe(4000);
  expect(last(128, projects)).toBe(10);
});

it('remembers a bounded number of commits, the last ones', () => {
  const sizes = new EventSizes();
  for (let n = 0; n < 20_000; n++) sizes.add(n, n + 1, commit(mebibyte));
  expect(sizes.lastOf([tail()], 19_000, 20_000)).toBe(19_007);
  expect(sizes.lastOf([tail()], 0, 20_000)).toBeGreaterThan(10_000);
});
