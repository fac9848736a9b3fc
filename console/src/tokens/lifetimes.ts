import { inDays, parseInstant } from '../time/instant.ts';
import { utcMinute } from '../time/utcText.ts';

/** When a token ends: its days, or one of the texts below, and how a sentence says it. */
export type Lifetime = readonly [days: string, says: string];

const unlimited = '';
const asLongAsOwn = 'own';

const lifetimes: readonly Lifetime[] = [
  ['1', 'after 1 day'],
  ['30', 'after 30 days'],
  ['90', 'after 90 days'],
  ['365', 'after 1 year'],
  [unlimited, 'never'],
];

/** The lifetimes that a new token can have. None is longer than the maker's, which ends at `own`; null if it does not end. */
export function lifetimesWithin(own: string | null): readonly Lifetime[] {
  if (own === null) return lifetimes;
  const ownEnd = parseInstant(own) ?? 0;
  const shorter = lifetimes.filter(
    ([days]) => days !== unlimited && (parseInstant(inDays(Number(days))) ?? 0) <= ownEnd,
  );
  return [...shorter, [asLongAsOwn, `with your own token, ${utcMinute(own)} UTC`]];
}

const usualDays = '90';

/** The one that is proposed. */
export function usualLifetime(own: string | null): Lifetime {
  const within = lifetimesWithin(own);
  return within.find(([days]) => days === usualDays) ?? within.at(-1) ?? [unlimited, 'never'];
}

/** The time at which a token of this lifetime ends, as the API takes it; null if it does not. */
export function endOf(days: string, own: string | null): string | null {
  if (days === unlimited) return null;
  return days === asLongAsOwn ? own : inDays(Number(days));
}
