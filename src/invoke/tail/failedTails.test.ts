import { expect, it } from 'vitest';
import { FailedTails } from './failedTails.ts';
import { severalTokens } from './tailPlan.ts';

const minute = 60_000;
const runner = (id: string) => ({ id, concurrencyMax: null });

it('remembers the rows and the token of a tail for ten minutes after its last failure', () => {
  let nowMs = 0;
  const failed = new FailedTails(() => nowMs);
  failed.add({ key: 'a', runner: runner('one') });
  expect(failed.has({ key: 'b', runner: runner('one') })).toBe(true);
  expect(failed.has({ key: 'a', runner: runner('two') })).toBe(true);
  expect(failed.has({ key: 'b', runner: runner('two') })).toBe(false);
  nowMs = 9 * minute;
  failed.add({ key: 'c', runner: runner('one') });
  nowMs = 11 * minute;
  expect(failed.has({ key: 'a', runner: runner('two') })).toBe(false);
  expect(failed.has({ key: 'b', runner: runner('one') })).toBe(true);
});

it('does not take several tokens for one', () => {
  const failed = new FailedTails(() => 0);
  failed.add({ key: 'a', runner: runner(severalTokens) });
  expect(failed.has({ key: 'a', runner: runner('one') })).toBe(true);
  expect(failed.has({ key: 'b', runner: runner(severalTokens) })).toBe(false);
});

it('remembers the newest if there are very many', () => {
  const failed = new FailedTails(() => 0);
  const keys = Array.from({ length: 2000 }, (_, i) => `k${i}`);
  for (const key of keys) failed.add({ key, runner: runner(severalTokens) });
  const known = keys.filter((key) => failed.has({ key, runner: runner('one') }));
  expect(known).toEqual(keys.slice(-1000));
});
