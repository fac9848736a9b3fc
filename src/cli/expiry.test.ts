import { describe, expect, it } from 'vitest';
import { expiryMicros } from './expiry.ts';

const now = Date.UTC(2026, 4, 1) * 1000;

describe('expiryMicros', () => {
  it.each([
    ['30m', 30 * 60e6],
    ['12h', 12 * 3600e6],
    ['90d', 90 * 86_400e6],
    ['2w', 14 * 86_400e6],
  ])('reads the span %s', (text, span) => {
    expect(expiryMicros(text, now)).toBe(now + span);
  });

  it('reads points in time', () => {
    expect(expiryMicros('2027-01-31', now)).toBe(Date.UTC(2027, 0, 31) * 1000);
    expect(expiryMicros('2027-01-31T01:00:00+01:00', now)).toBe(Date.UTC(2027, 0, 31) * 1000);
  });

  it.each(['', 'tomorrow', '90', '1y', '2027-01-31T00:00:00', '2027-13-01'])('refuses %j', (text) => {
    expect(() => expiryMicros(text, now)).toThrow('--expires is');
  });
});
