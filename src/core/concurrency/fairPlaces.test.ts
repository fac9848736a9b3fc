import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayTakePlace } from './fairPlaces.ts';

/** Owners take places in this order, as often as they may. */
function heldAfter(all: number, asking: readonly string[]): ReadonlyMap<string, number> {
  const held = new Map<string, number>();
  let taken = 0;
  for (const owner of asking) {
    const own = held.get(owner) ?? 0;
    if (!mayTakePlace({ all, taken, own })) continue;
    held.set(owner, own + 1);
    taken++;
  }
  return held;
}

it('leaves a place for others whatever one owner takes, unless there is only one', () => {
  const greedy = (all: number) =>
    heldAfter(
      all,
      Array.from({ length: all }, () => 'a'),
    ).get('a');
  expect([1, 2, 3, 4, 500].map(greedy)).toEqual([1, 1, 2, 2, 250]);
});

it('lets owners without a place take all, and gives out no more than there are', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 }),
      (all, asking) => {
        const others = Array.from({ length: all }, (_, n) => `${n}`);
        const held = heldAfter(all, [...asking, ...others]);
        expect([...held.values()].reduce((sum, own) => sum + own, 0)).toBe(all);
      },
    ),
  );
});
