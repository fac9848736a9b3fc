import { describe, expect, it } from 'vitest';
import { inDays } from '../time/instant.ts';
import { endOf, lifetimesWithin, usualLifetime } from './lifetimes.ts';

const daysOf = (own: string | null) => lifetimesWithin(own).map(([days]) => days);

describe('the lifetime of a new token', () => {
  it('may be any if the token of the maker does not end', () => {
    expect(daysOf(null)).toEqual(['1', '30', '90', '365', '']);
    expect(usualLifetime(null)).toEqual(['90', 'after 90 days']);
    expect(endOf('', null)).toBeNull();
  });

  it('is never longer than that of the maker, such as one from the link printed at start', () => {
    const own = inDays(0.5);
    expect(daysOf(own)).toEqual(['own']);
    expect(usualLifetime(own)[1]).toMatch(/^with your own token, \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    expect(endOf('own', own)).toBe(own);
    expect(daysOf(inDays(40))).toEqual(['1', '30', 'own']);
  });
});
