import { expect, it } from 'vitest';
import { ManualClock } from './clock.ts';
import { RareReports } from './rareReports.ts';

it('has one report about each subject due in a minute', () => {
  const clock = new ManualClock(0);
  const reports = new RareReports<'a' | 'b'>(clock);
  expect([reports.isDue('a'), reports.isDue('a'), reports.isDue('b')]).toEqual([true, false, true]);
  clock.advanceMs(59_999);
  expect(reports.isDue('a')).toBe(false);
  clock.advanceMs(1);
  expect([reports.isDue('a'), reports.isDue('a')]).toEqual([true, false]);
});

it('has one due after the clock was put back', () => {
  const clock = new ManualClock(3_600_000_000);
  const reports = new RareReports(clock);
  reports.isDue('a');
  clock.setMicros(0);
  expect([reports.isDue('a'), reports.isDue('a')]).toEqual([true, false]);
});
