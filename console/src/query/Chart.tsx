import { useMemo } from 'react';
import { type Json, textOf } from '../api/losslessJson.ts';
import type { RowsAnswer } from '../api/rowsProtocol.ts';
import { parseInstant, timeWriter, type Zone, zoneName } from '../time/instant.ts';

export interface ChartData {
  /** Name of the column on the axis of time. */
  readonly timeName: string;
  readonly times: readonly number[];
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

const seriesMax = 8;

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
    .map(([name, values]) => ({ name, values }))
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
  return [...series.slice(0, seriesMax - 1), { name: `other (${others.length})`, values }];
}

function instantOf(value: Json | undefined): number | null {
  return typeof value === 'string' ? (parseInstant(value) ?? null) : null;
}

const size = { width: 960, height: 280, left: 64, right: 16, top: 12, bottom: 28 };

interface ChartProps {
  readonly data: ChartData;
  readonly zone: Zone;
  readonly kind: 'line' | 'bar';
}

/** Lines or stacked bars over time. Bars begin at zero. */
export function Chart({ data, zone, kind }: ChartProps) {
  const { times, series } = data;
  const write = useMemo(() => timeWriter(zone), [zone]);
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  const totals = times.map((_, index) => sumOf(series.map(({ values }) => values[index] ?? null)));
  const high =
    kind === 'bar'
      ? Math.max(...totals, 0)
      : Math.max(...series.flatMap(({ values }) => values.map((each) => each ?? 0)), 0);
  const low = kind === 'bar' ? 0 : Math.min(0, ...series.flatMap(({ values }) => values.map((each) => each ?? 0)));
  const ticks = ticksOf(low, high);
  const top = ticks.at(-1) ?? 1;
  const innerWidth = size.width - size.left - size.right;
  const innerHeight = size.height - size.top - size.bottom;
  const step = stepOf(times);
  const x = (micros: number): number => size.left + ((micros - first) / Math.max(last - first + step, 1)) * innerWidth;
  const y = (value: number): number =>
    size.top + innerHeight - ((value - low) / Math.max(top - low, 1e-12)) * innerHeight;
  const barWidth = Math.max(1, (step / Math.max(last - first + step, 1)) * innerWidth - 2);
  const labels = [0, 0.25, 0.5, 0.75].map((share) => first + share * (last - first + step));
  const form = last - first > 2 * 86_400e6 ? 'day' : last - first > 86_400e6 ? 'dayTime' : 'minute';
  return (
    <figure className="chart">
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        role="img"
        aria-label={`${series.map(({ name }) => name).join(', ')} by ${data.timeName}. The table has the numbers.`}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={size.left} x2={size.width - size.right} y1={y(tick)} y2={y(tick)} className="grid" />
            <text x={size.left - 8} y={y(tick) + 4} textAnchor="end">
              {tick.toLocaleString('en', { notation: 'compact' })}
            </text>
          </g>
        ))}
        {labels.map((micros) => (
          <text key={micros} x={x(micros)} y={size.height - 8}>
            {write(micros, form)}
          </text>
        ))}
        {kind === 'line'
          ? series.map(({ name, values }, index) => (
              <path key={name} d={lineOf(values, times, x, y)} className={`series s${index}`} />
            ))
          : times.map((micros, at) => (
              <Stack
                key={micros}
                x={x(micros)}
                width={barWidth}
                names={series.map(({ name }) => name)}
                values={series.map(({ values }) => values[at] ?? 0)}
                y={y}
              />
            ))}
      </svg>
      <figcaption>
        {series.map(({ name }, index) => (
          <span key={name}>
            <i className={`swatch s${index}`} /> <bdi>{name}</bdi>
          </span>
        ))}
        <span className="spacer" />
        <span className="muted">
          {data.timeName}, {zoneName(zone)}
        </span>
      </figcaption>
    </figure>
  );
}

interface StackProps {
  readonly x: number;
  readonly width: number;
  readonly names: readonly string[];
  readonly values: readonly number[];
  readonly y: (value: number) => number;
}

function Stack({ x, width, names, values, y }: StackProps) {
  let sum = 0;
  return values.map((value, index) => {
    const from = sum;
    sum += Math.max(value, 0);
    return (
      <rect
        key={names[index]}
        x={x}
        width={width}
        y={y(sum)}
        height={Math.max(y(from) - y(sum), 0)}
        className={`s${index}`}
      />
    );
  });
}

/** A missing value breaks the line. */
function lineOf(
  values: readonly (number | null)[],
  times: readonly number[],
  x: (micros: number) => number,
  y: (value: number) => number,
): string {
  let isBroken = true;
  return values
    .map((value, index) => {
      if (value === null) {
        isBroken = true;
        return '';
      }
      const command = isBroken ? 'M' : 'L';
      isBroken = false;
      return `${command}${x(times[index] ?? 0).toFixed(1)},${y(value).toFixed(1)}`;
    })
    .join('');
}

/** The shortest distance of two times: the width of a bucket. */
function stepOf(times: readonly number[]): number {
  let step = Number.POSITIVE_INFINITY;
  for (let index = 1; index < times.length; index += 1)
    step = Math.min(step, (times[index] ?? 0) - (times[index - 1] ?? 0));
  return Number.isFinite(step) ? step : 60e6;
}

/** Three to six round numbers that cover the range. */
export function ticksOf(low: number, high: number): readonly number[] {
  if (high <= low) return [low, low + 1];
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.floor(low / step) * step;
  const count = Math.ceil((high - first) / step);
  return Array.from({ length: count + 1 }, (_, index) => Number((first + index * step).toPrecision(12)));
}
