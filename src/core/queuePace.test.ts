import { expect, it } from 'vitest';
import { QueuePace } from './queuePace.ts';

it('estimates the wait from the recent pace, within limits', () => {
  let nowMs = 0;
  const pace = new QueuePace(() => nowMs, 4000);
  expect(pace.secondsFor(100)).toBe(2);
  for (let n = 0; n < 100; n++) {
    pace.left();
    nowMs += 500;
  }
  expect(pace.secondsFor(1)).toBe(1);
  expect(pace.secondsFor(20)).toBe(10);
  expect(pace.secondsFor(1000)).toBe(60);
  // As long as nobody leaves, it takes longer.
  nowMs += 16_000;
  expect(pace.secondsFor(20)).toBe(20);
});

it('estimates at least half of the longest wait after waiting in vain', () => {
  expect(new QueuePace(() => 0, 10_000).secondsFor(1, true)).toBe(5);
});
