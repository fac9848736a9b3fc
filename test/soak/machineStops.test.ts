import { expect, test } from 'vitest';
import { stoppedDuring } from './machineStops.ts';

const stops = [
  { endMs: 1000, stoppedMs: 100 },
  { endMs: 1200, stoppedMs: 50 },
];

test.each([
  ['nothing before the first', 900, 100, 0],
  ['the part of one within the time', 950, 100, 50],
  ['both', 1300, 500, 150],
  ['nothing between them', 1150, 100, 0],
])('counts %s', (_what, endMs, lengthMs, expected) => {
  expect(stoppedDuring(stops, endMs, lengthMs)).toBe(expected);
});

test('counts at most the whole time, if two processors stopped at once', () => {
  expect(stoppedDuring([...stops, ...stops], 980, 60)).toBe(60);
});
