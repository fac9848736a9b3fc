import { expect, it } from 'vitest';
import { ManualTimer } from '../core/timer.ts';
import { defaultDetectors } from './createRedactor.ts';
import { TextView } from './textView.ts';
import { warmingRows, warmRedactor } from './warmRedactor.ts';

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Object.values(value as object).flatMap(textsIn);
}

it.each(defaultDetectors)('the rows that warm the redactor hold something for $name', (detector) => {
  const found: string[] = [];
  for (const text of textsIn(warmingRows))
    detector.find(TextView.of(text), (from, to) => found.push(text.slice(from, to)));
  expect(found).not.toEqual([]);
});

it('warms the redactor step by step, and ends', () => {
  const timer = new ManualTimer();
  warmRedactor({ timer, turns: { isBusy: false, endMs: () => 0 } });
  let steps = 0;
  for (; timer.pendingCount > 0 && steps < 1_000; steps++) timer.advanceMs(1_000);
  expect(timer.pendingCount).toBe(0);
  expect(steps).toBeGreaterThan(defaultDetectors.length * warmingRows.length);
});

it('stops where it is told to', () => {
  const timer = new ManualTimer();
  const stop = warmRedactor({ timer, turns: { isBusy: false, endMs: () => 0 } });
  timer.advanceMs(1_000);
  stop();
  expect(timer.pendingCount).toBe(0);
});
