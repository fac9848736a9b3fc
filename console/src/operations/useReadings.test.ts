import { describe, expect, it } from 'vitest';
import { parseMetrics, sumOf, sumsBy } from './metricsText.ts';
import { meansOf, type Reading, ratesOf } from './useReadings.ts';

const reading = (atMs: number, queries: number, querySeconds: number): Reading => ({
  atMs,
  queries,
  querySeconds,
  requests: 0,
  errors: 0,
  running: 0,
  waiting: 0,
  cacheHits: 0,
  cacheAnswers: 0,
  memoryBytes: 0,
  diskFreeBytes: 0,
  events: {},
});

const readings = [reading(0, 10, 1), reading(2000, 14, 3), reading(4000, 14, 3), reading(6000, 1, 0)];

describe('figures between readings', () => {
  it('are rates per second, and 0 after a restart', () => {
    expect(ratesOf(readings, ({ queries }) => queries)).toEqual([2, 0, 0]);
    expect(ratesOf([], ({ queries }) => queries)).toEqual([]);
  });

  it('are means only of what happened meanwhile', () => {
    const means = meansOf(
      readings,
      ({ querySeconds }) => querySeconds,
      ({ queries }) => queries,
    );
    expect(means).toEqual([0.5, null, null]);
  });
});

describe('the text of metrics', () => {
  const samples = parseMetrics(
    '# HELP a b\na{x="1",y="q\\"uoted"} 2\na{x="1",y="b"} 3\na{x="2",y="b"} 7\nb 1e3\nnothing\nc{x="0"} 0',
  );

  it('is read with its labels, and summed over those that are wanted', () => {
    expect(samples).toHaveLength(5);
    expect(sumOf(samples, 'a')).toBe(12);
    expect(sumOf(samples, 'a', { x: '1' })).toBe(5);
    expect(sumOf(samples, 'b')).toBe(1000);
    expect(sumOf(samples, 'none')).toBeUndefined();
  });

  it('is grouped by a label, largest first, without zeros', () => {
    expect(sumsBy(samples, 'a', 'x')).toEqual([
      ['2', 7],
      ['1', 5],
    ]);
    expect(sumsBy(samples, 'c', 'x')).toEqual([]);
  });
});
