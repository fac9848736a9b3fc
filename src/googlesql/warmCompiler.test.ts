import { expect, it } from 'vitest';
import { ManualTimer } from '../core/timer.ts';
import { warmCompiler, warmingTexts } from './warmCompiler.ts';

/** Runs what is due until nothing is, and says how often something was. */
function runOut(timer: ManualTimer): number {
  let steps = 0;
  while (timer.pendingCount > 0 && steps < 1000) {
    timer.advanceMs(1_000);
    steps += 1;
  }
  return steps;
}

it('compiles every text some times, one after a pause, and ends', () => {
  const timer = new ManualTimer();
  warmCompiler(timer);
  expect(timer.pendingCount).toBe(1);
  const steps = runOut(timer);
  expect(timer.pendingCount).toBe(0);
  expect(steps).toBeGreaterThan(warmingTexts.length);
});

it('stops where it is told to', () => {
  const timer = new ManualTimer();
  const stop = warmCompiler(timer);
  timer.advanceMs(1_000);
  stop();
  expect(timer.pendingCount).toBe(0);
});
