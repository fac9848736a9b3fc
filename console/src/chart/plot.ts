import type { Micros } from '../time/instant.ts';
import {
  type Buckets,
  type Clock,
  day,
  endAt,
  hour,
  minute,
  ofMicros,
  ofMonths,
  ofWeeks,
  second,
  sizeOf,
  startAt,
  utc,
} from './buckets.ts';
import type { ChartData, Series, TimeSpan } from './chartData.ts';

/** `bar`: beside each other; `stacked`: on each other. */
export type ChartKind = 'line' | 'bar' | 'stacked';

export const size = { height: 280, left: 64, right: 16, top: 12, bottom: 28 };
/** Where names stand at the ends of lines. */
const namesWidth = 132;
/** Narrower drawings have no room for names beside the lines. */
const widthWithNames = 640;
const pixelsPerTick = 72;
const barMin = 1;
/** Buckets that are narrower than this are hard to point at. */
const pointMin = 4;

/** A time on the axis, at its start or, if the bars have that width, below its middle. */
export interface TimeTick {
  readonly micros: Micros;
  readonly x: number;
  readonly isBetween: boolean;
}

/** Where everything is drawn. */
export interface Plot {
  readonly kind: ChartKind;
  readonly width: number;
  readonly right: number;
  readonly innerHeight: number;
  readonly axis: TimeSpan;
  readonly ticks: readonly number[];
  readonly timeTicks: readonly TimeTick[];
  /** Length from one tick of time to the next. */
  readonly tickMicros: Micros;
  readonly hasNames: boolean;
  readonly x: (micros: Micros) => number;
  readonly y: (value: number) => number;
  readonly microsAt: (x: number) => Micros;
}

export function plotOf(data: ChartData, axis: TimeSpan, kind: ChartKind, width: number, clock: Clock): Plot {
  const areWhole = data.series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)));
  const ticks = ticksOf(...rangeOf(data, kind), areWhole);
  const low = ticks[0] ?? 0;
  const top = ticks.at(-1) ?? 1;
  const hasNames = kind === 'line' && data.series.length > 1 && width >= widthWithNames;
  const right = hasNames ? namesWidth : size.right;
  const innerWidth = width - size.left - right;
  const innerHeight = size.height - size.top - size.bottom;
  const span = axis.to - axis.from;
  const x = (micros: Micros): number => size.left + ((micros - axis.from) / span) * innerWidth;
  const between = tickBuckets(axis, data.buckets, Math.max(2, Math.floor(innerWidth / pixelsPerTick)), clock);
  return {
    kind,
    width,
    right,
    innerHeight,
    axis,
    ticks,
    tickMicros: sizeOf(between),
    timeTicks: timeTicksOf(axis, between, sizeOf(between) === sizeOf(data.buckets), x),
    hasNames,
    x,
    y: (value) => size.top + innerHeight - ((value - low) / Math.max(top - low, 1e-12)) * innerHeight,
    microsAt: (at) => axis.from + ((at - size.left) / innerWidth) * span,
  };
}

/** What is at a place of the drawing. */
export interface Pointed {
  readonly span: TimeSpan;
  /** Of the bucket in the data; -1 if the answer does not have it. */
  readonly index: number;
}

/** The bucket at a place, or the nearest one if buckets are too narrow to be pointed at. */
export function pointedAt({ spans, buckets }: ChartData, plot: Plot, at: number): Pointed | null {
  const micros = plot.microsAt(at);
  if (micros < plot.axis.from || micros >= plot.axis.to) return null;
  const after = spans.findIndex(({ from }) => from > micros);
  const before = (after < 0 ? spans.length : after) - 1;
  const near = [before, before + 1]
    .filter((index) => spans[index] !== undefined)
    .sort((a, b) => distance(a) - distance(b))[0];
  const isNarrow = buckets === null || plot.x(plot.axis.from + sizeOf(buckets)) - size.left < pointMin;
  const span = near === undefined ? undefined : spans[near];
  if (near !== undefined && span !== undefined) {
    if (span.from <= micros && micros < span.to) return { span, index: near };
    if (buckets === null || (isNarrow && distance(near) <= pointMin)) return { span, index: near };
  }
  if (buckets === null) return null;
  return { span: { from: startAt(buckets, micros), to: endAt(buckets, micros) }, index: -1 };

  function distance(index: number): number {
    return Math.abs(plot.x(spans[index]?.from ?? 0) - at);
  }
}

/** The value of a series there. Null if there is none. */
export function valueAt({ values, isCount }: Series, { span, index }: Pointed, known: TimeSpan | null): number | null {
  if (index >= 0) return values[index] ?? null;
  return isCount && known !== null && span.from < known.to && span.to > known.from ? 0 : null;
}

/** Outlines of the bars of each series. */
export function barPaths({ spans, series }: ChartData, plot: Plot): readonly string[] {
  const sums = new Array<number>(spans.length).fill(0);
  const { kind, x, y } = plot;
  return series.map(({ values }, place) =>
    values
      .map((value, index) => {
        const span = spans[index];
        if (value === null || value === 0 || span === undefined) return '';
        const whole = Math.max(barMin, x(span.to) - x(span.from));
        const gap = Math.min(2, whole / 4);
        const width = kind === 'stacked' ? whole - gap : (whole - gap) / series.length;
        const from = kind === 'stacked' ? (sums[index] ?? 0) : 0;
        const to = kind === 'stacked' ? from + Math.max(value, 0) : value;
        if (kind === 'stacked') sums[index] = to;
        const left = x(span.from) + gap / 2 + (kind === 'stacked' ? 0 : place * width);
        return `M${fixed(left)},${fixed(y(from))}V${fixed(y(to))}h${fixed(Math.max(width, barMin / 2))}V${fixed(y(from))}z`;
      })
      .join(''),
  );
}

const fixed = (value: number): string => value.toFixed(1);

export interface LinePoint {
  readonly micros: Micros;
  readonly value: number;
}

/**
 * The parts of the line of a series. Counts go to zero in buckets without rows. Other values are not known there, so the line
 * is broken. Single events are joined.
 */
export function linesOf({ spans, buckets, known }: ChartData, { values, isCount }: Series): readonly LinePoint[][] {
  const parts: LinePoint[][] = [[]];
  const breakLine = () => parts.push([]);
  const add = (micros: Micros, value: number) => parts.at(-1)?.push({ micros, value });
  const middle = ({ from, to }: TimeSpan): Micros => (from + to) / 2;
  /** The buckets without rows from one time to another. */
  const pass = (from: Micros, to: Micros) => {
    if (buckets === null || from >= to) return;
    if (!isCount || known === null || known.to <= from || known.from >= to) return breakLine();
    if (known.from > from) breakLine();
    const first = startAt(buckets, Math.max(from, known.from));
    const last = startAt(buckets, Math.min(to, known.to) - 1);
    add(middle({ from: first, to: endAt(buckets, first) }), 0);
    if (last > first) add(middle({ from: last, to: endAt(buckets, last) }), 0);
    if (known.to < to) breakLine();
  };
  let before = known?.from ?? spans[0]?.from ?? 0;
  for (const [index, span] of spans.entries()) {
    pass(before, span.from);
    const value = values[index] ?? null;
    if (value === null) breakLine();
    else add(middle(span), value);
    before = Math.max(before, span.to);
  }
  if (known !== null) pass(before, known.to);
  return parts.filter((part) => part.length > 0);
}

/** The least and the most value that is drawn. */
function rangeOf({ spans, series }: ChartData, kind: ChartKind): readonly [number, number] {
  let low = 0;
  let high = 0;
  for (let index = 0; index < spans.length; index += 1) {
    let sum = 0;
    for (const { values } of series) {
      const value = values[index] ?? 0;
      sum += Math.max(value, 0);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (kind === 'stacked') high = Math.max(high, sum);
  }
  // Negative values are not drawn on each other.
  return [kind === 'stacked' ? 0 : low, high];
}

/** Two to six round numbers that cover the range. Half a row is no count, so those of whole numbers are whole. */
function ticksOf(low: number, high: number, areWhole: boolean): readonly number[] {
  if (high <= low) return [low, low + 1];
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const step = areWhole ? Math.max(1, round) : round;
  const first = Math.floor(low / step) * step;
  const count = Math.ceil((high - first) / step);
  return Array.from({ length: count + 1 }, (_, index) => Number((first + index * step).toPrecision(12)));
}

const rounds = [1, 2, 5, 10, 15, 30];
const years = [1, 2, 5, 10, 25, 50, 100];

/** From the shortest. */
const tickWidths = (clock: Clock): readonly Buckets[] => [
  ...rounds.map((count) => ofMicros(count * second)),
  ...rounds.map((count) => ofMicros(count * minute)),
  ...[1, 2, 3, 6, 12].map((count) => ofMicros(count * hour, clock)),
  ...[1, 2].map((count) => ofMicros(count * day, clock)),
  ofWeeks(1, clock),
  ...[1, 3, 6].map((count) => ofMonths(count, clock)),
  ...years.map((count) => ofMonths(12 * count, clock)),
];

/** Distances of times on the axis: round ones, and none shorter than a bucket. */
function tickBuckets(axis: TimeSpan, buckets: Buckets | null, ticksMax: number, clock: Clock): Buckets {
  const widths = tickWidths(clock);
  const last = widths.at(-1) ?? ofMonths(12, utc);
  const least = sizeOf(buckets);
  if (buckets !== null && (axis.to - axis.from) / least <= ticksMax) return buckets;
  return widths.find((each) => sizeOf(each) >= least && (axis.to - axis.from) / sizeOf(each) <= ticksMax) ?? last;
}

function timeTicksOf(
  axis: TimeSpan,
  between: Buckets,
  isOfBars: boolean,
  x: (micros: Micros) => number,
): readonly TimeTick[] {
  const ticks: TimeTick[] = [];
  let micros = startAt(between, axis.from);
  if (micros < axis.from) micros = endAt(between, micros);
  while (micros < axis.to) {
    const end = endAt(between, micros);
    ticks.push({ micros, x: isOfBars ? (x(micros) + x(end)) / 2 : x(micros), isBetween: isOfBars });
    micros = end;
  }
  return ticks;
}
