import { describe, expect, it } from 'vitest';
import { fractionOf, parseInstant, printInstant } from './instant.ts';
import { barStarts, barsOf } from './periods.ts';
import { rangeOf } from './timeRange.ts';

const now = parseInstant('2026-05-06T10:20:30.000123Z') ?? 0;
const read = (...times: string[]) => {
  const range = rangeOf(times, now);
  const text = (micros: number | null | undefined) =>
    micros === null || micros === undefined ? micros : printInstant(micros);
  return range === null ? null : [text(range.from), text(range.to)];
};

describe('times', () => {
  it('keep their microseconds', () => {
    expect(printInstant(parseInstant('2026-05-06T10:20:30.000123Z') ?? 0)).toBe('2026-05-06T10:20:30.000123Z');
    expect(fractionOf(parseInstant('1969-12-31T23:59:59.999999Z') ?? 0)).toBe('999999');
    expect(parseInstant('2026-05-06T12:20:30+02:00')).toBe(parseInstant('2026-05-06T10:20:30Z'));
    expect(parseInstant('yesterday')).toBeUndefined();
  });
});

describe('the range that time clauses name', () => {
  it('is that of the service: relative ones begin at the start of their unit', () => {
    expect(read('t:last@1h')).toEqual(['2026-05-06T09:00:00Z', '2026-05-06T10:20:30.000123Z']);
    expect(read('t:last@15m')).toEqual(['2026-05-06T10:05:00Z', '2026-05-06T10:20:30.000123Z']);
    expect(read('t:this@week')).toEqual(['2026-05-04T00:00:00Z', '2026-05-06T10:20:30.000123Z']);
    expect(read('t:yesterday')).toEqual(['2026-05-05T00:00:00Z', '2026-05-05T23:59:59.999999Z']);
  });

  it('joins bounds, and includes or leaves out their ends', () => {
    expect(read('t:>=2026-05-01', 't:<2026-05-02')).toEqual(['2026-05-01T00:00:00Z', '2026-05-01T23:59:59.999999Z']);
    expect(read('t:2026-05-01..2026-05-02T01:00')).toEqual(['2026-05-01T00:00:00Z', '2026-05-02T01:00:00Z']);
    expect(read('t:1777629600')).toEqual(['2026-05-01T10:00:00Z', '2026-05-01T10:00:00Z']);
    expect(read()).toEqual([null, null]);
  });

  it('is left to the service if only the service can read it', () => {
    expect(read('t:2026-04-{07..09}T00:00:00Z')).toBeNull();
    expect(read('t:last@2mm')).toBeNull();
  });
});

describe('the bars of a histogram', () => {
  const spans = [1e6, 60e6, 3600e6, 12 * 3600e6, 20 * 3600e6, 86_400e6, 30 * 86_400e6, 400 * 86_400e6];

  it('are at most 122, cover the range, and have no more periods than an answer has rows', () => {
    const sizes = { second: 1e6, minute: 60e6, hour: 3600e6, day: 86_400e6 };
    for (const span of spans) {
      const bars = barsOf(now - span, now, 1000);
      if (bars === null) throw new Error('no bars');
      const starts = barStarts(bars, now - span, now);
      expect(starts.length).toBeLessThanOrEqual(122);
      expect(starts[0]).toBeLessThanOrEqual(now - span);
      expect((starts.at(-1) ?? 0) + bars.barMicros).toBeGreaterThan(now);
      const size = sizes[bars.period];
      expect(Math.floor(now / size) - Math.floor((now - span) / size) + 1).toBeLessThanOrEqual(1000);
    }
  });

  it('show an hour of LQL by minute, and are left out if an answer has too few rows for them', () => {
    expect(barsOf(now - 1.99 * 3600e6, now, 1000)?.label).toBe('1 min');
    expect(barsOf(now - 20 * 86_400e6, now, 7)).toBeNull();
  });
});
