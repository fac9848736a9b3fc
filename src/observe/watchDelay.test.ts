import { expect, it } from 'vitest';
import { ManualTimer } from '../core/timer.ts';
import { watchDelay } from './watchDelay.ts';

it('reports how late each tick came, and nothing after it is stopped', () => {
  const timer = new ManualTimer();
  const late: number[] = [];
  const stop = watchDelay(timer, (seconds) => late.push(seconds));
  timer.advanceMs(20);
  timer.advanceMs(320);
  timer.advanceMs(10);
  timer.advanceMs(10);
  expect(late).toEqual([0, 0.3, 0]);
  stop();
  timer.advanceMs(100);
  expect([late.length, timer.pendingCount]).toEqual([3, 0]);
});
