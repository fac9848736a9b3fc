import { expect, it } from 'vitest';
import { QueuePace } from './queuePace.ts';

it('has whoever finds no place wait as long as those before take, and not for ever', () => {
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

it('has whoever waited in vain wait at least half as long again', () => {
  expect(new QueuePace(() => 0, 10_000).secondsFor(1, true)).toBe(5);
});
