import { expect, it } from 'vitest';
import { FailureReports } from './failureReports.ts';
import { ManualTimer } from './timer.ts';

it('reports a failure once, each minute while it lasts, and how long it lasted', () => {
  const timer = new ManualTimer();
  const reports = new FailureReports(timer);
  expect(reports.succeeded()).toBeNull();
  const reported = Array.from({ length: 150 }, (_, second) => {
    const isReported = reports.failed();
    timer.advanceMs(1_000);
    return isReported ? [second] : [];
  });
  expect(reported.flat()).toEqual([0, 60, 120]);
  expect(reports.succeeded()).toBe(150_000);
  expect([reports.succeeded(), reports.failed()]).toEqual([null, true]);
});

it('reports nothing of a failure that ends within the time of grace', () => {
  const timer = new ManualTimer();
  const reports = new FailureReports(timer, 3_000);
  for (const ms of [0, 1_000, 1_999]) {
    timer.advanceMs(ms);
    expect(reports.failed()).toBe(false);
  }
  expect(reports.succeeded()).toBeNull();
  expect(reports.failed()).toBe(false);
  timer.advanceMs(3_000);
  expect(reports.failed()).toBe(true);
});
