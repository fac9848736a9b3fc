import { useMemo } from 'react';
import { type Json, textOf } from '../api/losslessJson.ts';
import type { RowsAnswer } from '../api/rowsProtocol.ts';
import { linePath } from '../parts/linePath.ts';
import { useWidth } from '../parts/useWidth.ts';
import { bytesText } from '../text/bytesText.ts';
import { withoutHidden } from '../text/hiddenChars.ts';
import { SafeText } from '../text/SafeText.tsx';
import { parseInstant, timeWriter, type Zone, zoneName } from '../time/instant.ts';

interface Series {
  /** The whole text that the series is for. */
  readonly id: string;
  /** Its beginning. */
  readonly name: string;
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  /** Name of the column on the axis of time. */
  readonly timeName: string;
  readonly times: readonly number[];
  readonly series: readonly Series[];
}

/** `bar`: beside each other; `stacked`: on each other. */
export type ChartKind = 'line' | 'bar' | 'stacked';

const seriesMax = 8;
const barsMax = 1000;
/** Characters of a series' name that are shown. */
const nameMax = 60;

/** What a result draws: its first column of time, and its numbers by it, split by its first text. Null if it has none. */
export function chartOf({ rows, meta }: Pick<RowsAnswer, 'rows' | 'meta'>): ChartData | null {
  const time = meta.columns.find(({ type }) => /^(TIMESTAMP|DATETIME|DATE)$/.test(type));
  const numbers = meta.columns.filter(
    ({ name, type }) => /^(INT64|FLOAT64|NUMERIC)$/.test(type) && name !== time?.name,
  );
  const [firstNumber] = numbers;
  if (time === undefined || firstNumber === undefined || rows.length === 0) return null;
  const split = meta.columns.find(({ name, type }) => name !== time.name && /^(STRING|JSON|BOOL)$/.test(type));
  const times = [...new Set(rows.map((row) => instantOf(row[time.name])))]
    .filter((each) => each !== null)
    .sort((a, b) => a - b);
  const at = new Map(times.map((each, index) => [each, index]));
  const found = new Map<string, (number | null)[]>();
  for (const row of rows) {
    const index = at.get(instantOf(row[time.name]) ?? Number.NaN);
    if (index === undefined) continue;
    for (const { name } of split === undefined ? numbers : [firstNumber]) {
      const key = split === undefined ? name : textOf(row[split.name] ?? 'none');
      const values = found.get(key) ?? new Array<number | null>(times.length).fill(null);
      const value = row[name];
      if (value !== null && value !== undefined && Number.isFinite(Number(value))) values[index] = Number(value);
      found.set(key, values);
    }
  }
  const series = [...found]
    .map(([id, values]) => ({ id, name: id.length > nameMax ? `${id.slice(0, nameMax)}…` : id, values }))
    .sort((a, b) => sumOf(b.values) - sumOf(a.values));
  return { timeName: time.name, times, series: atMost(series, times.length) };
}

const sumOf = (values: readonly (number | null)[]): number =>
  values.reduce<number>((sum, each) => sum + (each ?? 0), 0);

/** The largest seven, and the others together. */
function atMost(series: ChartData['series'], length: number): ChartData['series'] {
  if (series.length <= seriesMax) return series;
  const others = series.slice(seriesMax - 1);
  const values = Array.from({ length }, (_, index) => sumOf(others.map((each) => each.values[index] ?? null)));
  return [...series.slice(0, seriesMax - 1), { id: 'other series', name: `other (${others.length})`, values }];
}

function instantOf(value: Json | undefined): number | null {
  return typeof value === 'string' ? (parseInstant(value) ?? null) : null;
}

const size = { height: 280, left: 64, right: 16, top: 12, bottom: 28 };
const widthMin = 280;

interface ChartProps {
  readonly data: ChartData;
  readonly zone: Zone;
  readonly kind: ChartKind;
}

/** Lines, or bars on or beside each other, over time. Bars begin at zero. */
export function Chart({ data, zone, kind }: ChartProps) {
  const { times, series } = data;
  const [figure, width] = useWidth(widthMin);
  const unit = unitOf(series.map(({ name }) => name));
  const write = useMemo(() => timeWriter(zone), [zone]);
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  // More bars than pixels would take long to draw, and would not be seen.
  const drawn = times.length > barsMax ? 'line' : kind;
  const ticks = ticksOf(...rangeOf(data, drawn));
  const low = ticks[0] ?? 0;
  const top = ticks.at(-1) ?? 1;
  const innerWidth = width - size.left - size.right;
  const innerHeight = size.height - size.top - size.bottom;
  const step = stepOf(times);
  const x = (micros: number): number => size.left + ((micros - first) / Math.max(last - first + step, 1)) * innerWidth;
  const y = (value: number): number =>
    size.top + innerHeight - ((value - low) / Math.max(top - low, 1e-12)) * innerHeight;
  const barWidth = Math.max(1, (step / Math.max(last - first + step, 1)) * innerWidth - 2);
  const labels = new Set([0, 0.25, 0.5, 0.75].map((share) => times[Math.floor(share * times.length)] ?? first));
  const form = last - first > 2 * 86_400e6 ? 'day' : last - first > 86_400e6 ? 'dayTime' : 'minute';
  return (
    <figure ref={figure} className="chart">
      <svg
        viewBox={`0 0 ${width} ${size.height}`}
        role="img"
        aria-label={`${withoutHidden(series.map(({ name }) => name).join(', '))} by ${withoutHidden(data.timeName)}. The table has the numbers.`}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={size.left} x2={width - size.right} y1={y(tick)} y2={y(tick)} className="grid" />
            <text x={size.left - 8} y={y(tick) + 4} textAnchor="end">
              {tickText(tick, unit)}
            </text>
          </g>
        ))}
        {[...labels].map((micros) => (
          <text key={micros} x={x(micros)} y={size.height - 8}>
            {write(micros, form)}
          </text>
        ))}
        {drawn === 'line'
          ? series.map(({ id, values }, index) => (
              <path key={id} d={linePath(values, (at) => x(times[at] ?? 0), y)} className={`series s${index}`} />
            ))
          : times.map((micros, at) => (
              <Bars
                key={micros}
                x={x(micros)}
                width={barWidth}
                ids={series.map(({ id }) => id)}
                values={series.map(({ values }) => values[at] ?? 0)}
                y={y}
                isStacked={drawn === 'stacked'}
              />
            ))}
      </svg>
      <figcaption>
        {series.map(({ id, name }, index) => (
          <span key={id}>
            <i className={`swatch s${index}`} /> <SafeText text={name} />
          </span>
        ))}
        <span className="spacer" />
        <span className="muted">
          <SafeText text={data.timeName} />, {zoneName(zone)}
        </span>
      </figcaption>
    </figure>
  );
}

/** The least and the most value that is drawn. Bars of negative values are not drawn on each other. */
function rangeOf({ times, series }: ChartData, kind: ChartKind): readonly [number, number] {
  let low = 0;
  let high = 0;
  for (let index = 0; index < times.length; index += 1) {
    let sum = 0;
    for (const { values } of series) {
      const value = values[index] ?? 0;
      sum += Math.max(value, 0);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (kind === 'stacked') high = Math.max(high, sum);
  }
  return [kind === 'stacked' ? 0 : low, high];
}

interface BarsProps {
  readonly x: number;
  readonly width: number;
  readonly ids: readonly string[];
  readonly values: readonly number[];
  readonly y: (value: number) => number;
  readonly isStacked: boolean;
}

function Bars({ x, width, ids, values, y, isStacked }: BarsProps) {
  let sum = 0;
  const each = isStacked ? width : width / values.length;
  return values.map((value, index) => {
    const from = isStacked ? sum : 0;
    sum += Math.max(value, 0);
    const to = isStacked ? sum : value;
    return (
      <rect
        key={ids[index]}
        x={isStacked ? x : x + index * each}
        width={each}
        y={Math.min(y(from), y(to))}
        height={Math.abs(y(from) - y(to))}
        className={`s${index}`}
      />
    );
  });
}

/** The shortest distance of two times: the width of a bucket. */
function stepOf(times: readonly number[]): number {
  let step = Number.POSITIVE_INFINITY;
  for (let index = 1; index < times.length; index += 1)
    step = Math.min(step, (times[index] ?? 0) - (times[index - 1] ?? 0));
  return Number.isFinite(step) ? step : 60e6;
}

/** The unit that the names of all series end with, such as `duration_ms`. Counts have none. */
function unitOf(names: readonly string[]): string {
  const [first = '', ...others] = names.map((name) => /_(ms|us|s|bytes|percent)$/.exec(name)?.[1] ?? '');
  return others.every((each) => each === first) ? first : '';
}

function tickText(value: number, unit: string): string {
  if (unit === 'bytes') return bytesText(value);
  const text = value.toLocaleString('en', { notation: 'compact' });
  return unit === '' ? text : `${text} ${unit === 'percent' ? '%' : unit}`;
}

/** Three to six round numbers that cover the range. */
function ticksOf(low: number, high: number): readonly number[] {
  if (high <= low) return [low, low + 1];
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.floor(low / step) * step;
  const count = Math.ceil((high - first) / step);
  return Array.from({ length: count + 1 }, (_, index) => Number((first + index * step).toPrecision(12)));
}
