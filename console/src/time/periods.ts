import type { Micros } from './instant.ts';

export type LqlPeriod = 'second' | 'minute' | 'hour' | 'day';

/** How a chart over a range is asked for, and drawn: LQL groups by `period`, and a bar takes whole ones of them. */
export interface Bars {
  readonly period: LqlPeriod;
  readonly barMicros: number;
  /** Name of a bar's width. */
  readonly label: string;
}

const sizes: Readonly<Record<LqlPeriod, number>> = { second: 1e6, minute: 60e6, hour: 3600e6, day: 86_400e6 };
const widths: readonly (readonly [LqlPeriod, number, string])[] = [
  ['second', 1, '1 s'],
  ['second', 5, '5 s'],
  ['second', 10, '10 s'],
  ['minute', 1, '1 min'],
  ['minute', 5, '5 min'],
  ['minute', 10, '10 min'],
  ['minute', 15, '15 min'],
  ['hour', 1, '1 h'],
  ['hour', 3, '3 h'],
  ['hour', 6, '6 h'],
  ['hour', 12, '12 h'],
  ['day', 1, '1 d'],
  ['day', 7, '7 d'],
];
const longest = ['day', 30, '30 d'] as const;

/** So that `t:last@1h`, which begins with the hour before, is shown by minute. */
const barsMax = 120;

/**
 * Chooses about 120 bars or fewer. An answer has a row for each period, so a range with more periods than rows would
 * lose counts. Null if every length gives too many periods.
 */
export function barsOf(from: Micros, to: Micros, periodsMax: number): Bars | null {
  const [period, count, label] =
    [...widths, longest].find((width) => {
      const periods = Math.floor((to - from) / sizes[width[0]]) + 2;
      return periods <= periodsMax && (width === longest || (periods - 2) / width[1] <= barsMax);
    }) ?? [];
  if (period === undefined || count === undefined || label === undefined) return null;
  return { period, barMicros: sizes[period] * count, label };
}

/** Starts of the bars that cover a range. */
export function barStarts({ barMicros }: Bars, from: Micros, to: Micros): readonly Micros[] {
  const first = Math.floor(from / barMicros) * barMicros;
  const count = Math.min(Math.floor((to - first) / barMicros) + 1, 2000);
  return Array.from({ length: Math.max(count, 1) }, (_, index) => first + index * barMicros);
}
