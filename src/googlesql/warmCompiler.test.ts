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

it('compiles every text some times, step by step, one after a pause, and ends', () => {
  const timer = new ManualTimer();
  warmCompiler({ timer, turns: { isBusy: false, endMs: () => 0 } });
  expect(timer.pendingCount).toBe(1);
  const steps = runOut(timer);
  expect(timer.pendingCount).toBe(0);
  // Each is parsed, its tables are looked up, it is resolved: each of that in a turn of its own.
  expect(steps).toBeGreaterThanOrEqual(3 * 12 * warmingTexts.length);
});

it('stops where it is told to', () => {
  const timer = new ManualTimer();
  const stop = warmCompiler({ timer, turns: { isBusy: false, endMs: () => 0 } });
  timer.advanceMs(1_000);
  stop();
  expect(timer.pendingCount).toBe(0);
});
