import { memo, type PointerEvent, useMemo, useState } from 'react';
import { linePath } from '../parts/linePath.ts';
import { useWidth } from '../parts/useWidth.ts';
import { bytesText } from '../text/bytesText.ts';
import { withoutHidden } from '../text/hiddenChars.ts';
import { SafeText } from '../text/SafeText.tsx';
import { timeWriter, type WriteTime, type Zone, zoneName } from '../time/instant.ts';
import type { ChartData } from './chartData.ts';

/** `bar`: beside each other; `stacked`: on each other. */
export type ChartKind = 'line' | 'bar' | 'stacked';

/** More bars than pixels would take long to draw, and would not be seen. */
const barsMax = 1000;

const labelShares = [0, 0.25, 0.5, 0.75];
const size = { height: 280, left: 64, right: 16, top: 12, bottom: 28 };
const widthMin = 280;

interface ChartProps {
  readonly data: ChartData;
  readonly zone: Zone;
  readonly kind: ChartKind;
}

/** Lines, or bars on or beside each other, over time. Bars begin at zero. The values at the pointer are told below. */
export function Chart({ data, zone, kind }: ChartProps) {
  const { times, series } = data;
  const [figure, width] = useWidth(widthMin);
  const [pointed, setPointed] = useState<number | null>(null);
  const unit = unitOf(series.map(({ name }) => name));
  const write = useMemo(() => timeWriter(zone), [zone]);
  const plot = useMemo(() => plotOf(data, kind, width), [data, kind, width]);
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect();
    setPointed(plot.indexAt(((clientX - box.left) / Math.max(box.width, 1)) * width));
  };
  const at = pointed === null ? undefined : times[pointed];
  return (
    <figure ref={figure} className="chart">
      <svg
        viewBox={`0 0 ${width} ${size.height}`}
        role="img"
        aria-label={`${withoutHidden(series.map(({ name }) => name).join(', '))} by ${withoutHidden(data.timeName)}. The table has the numbers.`}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(null)}
      >
        {at !== undefined && (
          <rect className="pointed" x={plot.x(at)} width={plot.barWidth} y={size.top} height={plot.innerHeight} />
        )}
        <Marks data={data} plot={plot} unit={unit} write={write} />
      </svg>
      <figcaption>
        {series.map(({ id, name, values }, index) => (
          <span key={id} className={`s${index}`}>
            <i className="swatch" /> <SafeText text={name} />
            {pointed !== null && <strong> {values[pointed]?.toLocaleString('en') ?? 'none'}</strong>}
          </span>
        ))}
        <span className="spacer" />
        <span className="muted">
          {at === undefined ? <SafeText text={data.timeName} /> : write(at, plot.spansDays ? 'dayTime' : 'full')},{' '}
          {zoneName(zone)}
        </span>
      </figcaption>
    </figure>
  );
}

/** Where everything is drawn. */
interface Plot {
  readonly kind: ChartKind;
  readonly width: number;
  readonly innerHeight: number;
  readonly barWidth: number;
  readonly ticks: readonly number[];
  readonly spansDays: boolean;
  /** Times that are written below, at even distances. */
  readonly labels: readonly number[];
  readonly x: (micros: number) => number;
  readonly y: (value: number) => number;
  /** Index of the time whose bucket is there; null between buckets. */
  readonly indexAt: (x: number) => number | null;
}

function plotOf(data: ChartData, kind: ChartKind, width: number): Plot {
  const { times } = data;
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  const drawn = times.length > barsMax ? 'line' : kind;
  const ticks = ticksOf(...rangeOf(data, drawn));
  const low = ticks[0] ?? 0;
  const top = ticks.at(-1) ?? 1;
  const innerWidth = width - size.left - size.right;
  const innerHeight = size.height - size.top - size.bottom;
  const step = stepOf(times);
  const span = Math.max(last - first + step, 1);
  return {
    kind: drawn,
    width,
    innerHeight,
    barWidth: Math.max(1, (step / span) * innerWidth - 2),
    ticks,
    spansDays: last - first > 86_400e6,
    labels: [...new Set(labelShares.map((share) => first + Math.round((share * span) / step) * step))].filter(
      (each) => each <= last,
    ),
    x: (micros) => size.left + ((micros - first) / span) * innerWidth,
    y: (value) => size.top + innerHeight - ((value - low) / Math.max(top - low, 1e-12)) * innerHeight,
    indexAt: (x) => {
      const micros = first + ((x - size.left) / innerWidth) * span;
      const index = times.findLastIndex((each) => each <= micros);
      return micros - (times[index] ?? Number.NEGATIVE_INFINITY) < step ? index : null;
    },
  };
}

interface MarksProps {
  readonly data: ChartData;
  readonly plot: Plot;
  readonly unit: string;
  readonly write: WriteTime;
}

/** The grid, the labels and the series, which a moving pointer does not draw again. */
const Marks = memo(function Marks({ data: { times, series }, plot, unit, write }: MarksProps) {
  const { kind, width, barWidth, x, y } = plot;
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  const form = last - first > 2 * 86_400e6 ? 'day' : plot.spansDays ? 'dayTime' : 'minute';
  return (
    <>
      {plot.ticks.map((tick) => (
        <g key={tick}>
          <line x1={size.left} x2={width - size.right} y1={y(tick)} y2={y(tick)} className="grid" />
          <text x={size.left - 8} y={y(tick) + 4} textAnchor="end">
            {tickText(tick, unit)}
          </text>
        </g>
      ))}
      {plot.labels.map((micros) => (
        <text key={micros} x={x(micros)} y={size.height - 8}>
          {write(micros, form)}
        </text>
      ))}
      {kind === 'line'
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
              isStacked={kind === 'stacked'}
            />
          ))}
    </>
  );
});

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
