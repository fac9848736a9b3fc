import { expect, it } from 'vitest';
import { lookBack, lookBackEvents } from './lookBack.ts';

const stats = (firstMicros: number, lastMicros: number, count: number) => ({ firstMicros, lastMicros, count });

it('goes back by the share of the events that is wanted', () => {
  expect(lookBack([stats(0, 1_000_000, 1_000)], null, 100)).toBe(900_000n);
  expect(lookBack([stats(0, 500_000, 500), stats(500_000, 1_000_000, 500)], null, 100)).toBe(900_000n);
});

it('counts from the end of the asked time', () => {
  expect(lookBack([stats(0, 1_000_000, 1_000)], 600_000n, 100)).toBe(500_000n);
  expect(lookBack([stats(0, 1_000_000, 1_000)], 2_000_000n, 100)).toBe(900_000n);
});

it('looks at everything where that is about as much, or where nothing would be left out', () => {
  expect(lookBack([], null, 100)).toBeNull();
  expect(lookBack([stats(0, 1_000_000, 200)], null, 100)).toBeNull();
  expect(lookBack([stats(0, 1_000_000, 1_000)], 50_000n, 100)).toBeNull();
  expect(lookBack([stats(7, 7, 1_000)], null, 100)).toBeNull();
});

it('goes back further with every attempt until it looks at everything', () => {
  const looked = [0, 1, 2, 3].map((attempts) => lookBack([stats(0, 1_000, 1_000)], null, lookBackEvents(10, attempts)));
  expect(looked).toEqual([990n, 920n, null, null]);
});
