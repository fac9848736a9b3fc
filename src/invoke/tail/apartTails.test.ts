import { expect, it } from 'vitest';
import { ApartTails } from './apartTails.ts';
import { severalTokens } from './tailPlan.ts';

const minute = 60_000;
const runner = (id: string) => ({ id, concurrencyMax: null });

it('keeps the rows and the token of a tail apart for the longest time that was asked for', () => {
  let nowMs = 0;
  const apart = new ApartTails(() => nowMs);
  apart.add({ key: 'a', runner: runner('one') }, 10 * minute);
  expect(apart.has({ key: 'b', runner: runner('one') })).toBe(true);
  expect(apart.has({ key: 'a', runner: runner('two') })).toBe(true);
  expect(apart.has({ key: 'b', runner: runner('two') })).toBe(false);
  nowMs = 9 * minute;
  apart.add({ key: 'c', runner: runner('one') }, 10 * minute);
  apart.add({ key: 'c', runner: runner('one') }, 1);
  nowMs = 11 * minute;
  expect(apart.has({ key: 'a', runner: runner('two') })).toBe(false);
  expect(apart.has({ key: 'b', runner: runner('one') })).toBe(true);
});

it('does not take several tokens for one', () => {
  const apart = new ApartTails(() => 0);
  apart.add({ key: 'a', runner: runner(severalTokens) }, minute);
  expect(apart.has({ key: 'a', runner: runner('one') })).toBe(true);
  expect(apart.has({ key: 'b', runner: runner(severalTokens) })).toBe(false);
});

it('remembers the newest if there are very many', () => {
  const apart = new ApartTails(() => 0);
  const keys = Array.from({ length: 2000 }, (_, i) => `k${i}`);
  for (const key of keys) apart.add({ key, runner: runner(severalTokens) }, minute);
  const known = keys.filter((key) => apart.has({ key, runner: runner('one') }));
  expect(known).toEqual(keys.slice(-1000));
});
