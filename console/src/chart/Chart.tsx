import { memo, type PointerEvent, useMemo, useState } from 'react';
import { useWidth } from '../parts/useWidth.ts';
import { bytesText } from '../text/bytesText.ts';
import { countText } from '../text/countText.ts';
import { withoutHidden } from '../text/hiddenChars.ts';
import { SafeText } from '../text/SafeText.tsx';
import { localZone, type Micros, timeWriter, type WriteTime, type Zone, zoneName } from '../time/instant.ts';
import { clockOf, day, minute, sizeOf, utc, widthText } from './buckets.ts';
import type { ChartData, TimeSpan } from './chartData.ts';
import { type LineName, lineNames } from './lineNames.ts';
import {
  barPaths,
  type ChartKind,
  linesOf,
  type Plot,
  type Pointed,
  plotOf,
  pointedAt,
  size,
  valueAt,
} from './plot.ts';

const widthMin = 280;
/** Pixels from the left and the right in which a label of time is not in the middle of its time. */
const edge = 28;

interface ChartProps {
  readonly data: ChartData;
  readonly zone: Zone;
  readonly kind: ChartKind;
}

/**
 * Lines, or bars on or beside each other, at their times: what has no rows is empty. Bars begin at zero. The values at the
 * pointer are told below.
 */
export function Chart({ data, zone, kind }: ChartProps) {
  if (data.axis === null) return <p className="empty muted">There are no rows to draw.</p>;
  return <Drawing data={data} axis={data.axis} zone={data.isZoned ? zone : 'UTC'} kind={kind} />;
}

function Drawing({ data, axis, zone, kind }: ChartProps & { readonly axis: TimeSpan }) {
  const { series, known } = data;
  const [figure, width] = useWidth(widthMin);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const unit = unitOf(series.map(({ name }) => name));
  const write = useMemo(() => timeWriter(zone), [zone]);
  const clock = useMemo(() => (zone === 'UTC' ? utc : clockOf(localZone())), [zone]);
  const plot = useMemo(() => plotOf(data, axis, kind, width, clock), [data, axis, kind, width, clock]);
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect();
    setPointed(pointedAt(data, plot, ((clientX - box.left) / Math.max(box.width, 1)) * width));
  };
  const inZone = data.isZoned ? `, ${zoneName(zone)}` : '';
  return (
    <figure ref={figure} className="chart">
      <svg
        viewBox={`0 0 ${width} ${size.height}`}
        role="img"
        aria-label={labelOf(data, axis, write, inZone)}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(null)}
      >
        {pointed !== null && (
          <rect
            className="pointed"
            x={plot.x(pointed.span.from)}
            width={Math.max(2, plot.x(pointed.span.to) - plot.x(pointed.span.from))}
            y={size.top}
            height={plot.innerHeight}
          />
        )}
        <Marks data={data} plot={plot} unit={unit} write={write} />
        {data.spans.length === 0 && (
          <text x={width / 2} y={size.height / 2} textAnchor="middle">
            No rows in this time
          </text>
        )}
      </svg>
      <figcaption>
        {series.map(({ id, name, ...each }, index) => (
          <span key={id} className={`s${index}`}>
            <i className="swatch" /> <SafeText text={name} />
            <strong>{pointed !== null && valueText(valueAt({ id, name, ...each }, pointed, known))}</strong>
          </span>
        ))}
        <span className="spacer" />
        <span className="muted">
          {pointed === null
            ? `${rangeText(axis, write)}${inZone}${data.buckets === null ? '' : `, ${kind === 'line' ? '1 point' : '1 bar'} = ${widthText(data.buckets)}`}`
            : write(pointed.span.from, sizeOf(data.buckets) >= day ? 'date' : 'full') + inZone}
        </span>
      </figcaption>
      {data.missing.length > 0 && <p className="muted small">Not drawn: {data.missing.join(', ')}.</p>}
    </figure>
  );
}

/** Days that the axis begins and ends with, unless it is one. */
function rangeText({ from, to }: TimeSpan, write: WriteTime): string {
  const [first, last] = [write(from, 'date'), write(to - 1, 'date')];
  return first === last ? first : `${first} – ${last}`;
}

/** The chart in a sentence. Its numbers are in the table. */
function labelOf({ series, timeName, spans, buckets }: ChartData, axis: TimeSpan, write: WriteTime, inZone: string) {
  const names = withoutHidden(series.map(({ name }) => name).join(', '));
  const width = buckets === null ? '' : `, ${widthText(buckets)} each`;
  const highest = Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const most = series.length === 0 ? '' : ` The highest value is ${valueText(highest)}.`;
  return (
    `${names === '' ? 'Nothing' : names} by ${withoutHidden(timeName)} from ${write(axis.from, 'full')} to ${write(axis.to, 'full')}${inZone}: ` +
    `${countText(spans.length, 'time')} with rows${width}.${most} The table has the numbers.`
  );
}

interface MarksProps {
  readonly data: ChartData;
  readonly plot: Plot;
  readonly unit: string;
  readonly write: WriteTime;
}

/** The grid, the labels and the series, which a moving pointer does not draw again. */
const Marks = memo(function Marks({ data, plot, unit, write }: MarksProps) {
  const { width, right, y } = plot;
  const bottom = size.height - size.bottom;
  return (
    <>
      {plot.ticks.map((tick) => (
        <g key={tick}>
          <line x1={size.left} x2={width - right} y1={y(tick)} y2={y(tick)} className="grid" />
          <text x={size.left - 8} y={y(tick) + 4} textAnchor="end">
            {tickText(tick, unit)}
          </text>
        </g>
      ))}
      {plot.timeTicks.map((tick) => (
        <g key={tick.micros}>
          {!tick.isBetween && <line x1={tick.x} x2={tick.x} y1={bottom} y2={bottom + 4} className="grid" />}
          <text x={tick.x} y={size.height - 8} textAnchor={anchorOf(tick.x, plot)}>
            {timeText(tick.micros, plot, write)}
          </text>
        </g>
      ))}
      {plot.kind === 'line' ? (
        <Lines data={data} plot={plot} />
      ) : (
        barPaths(data, plot).map((path, index) => (
          <path key={data.series[index]?.id} d={path} className={`bars s${index}`} />
        ))
      )}
    </>
  );
});

const anchorOf = (at: number, { width }: Plot): 'start' | 'middle' | 'end' =>
  at < edge ? 'start' : at > width - edge ? 'end' : 'middle';

function timeText(micros: Micros, { tickMicros }: Plot, write: WriteTime): string {
  if (tickMicros >= 28 * day) return write(micros, 'month');
  const time = write(micros, tickMicros < minute ? 'time' : 'minute');
  return tickMicros >= day || time === '00:00' ? write(micros, 'day') : time;
}

/** The line of each series, with its name at its end. A value alone is a dot. */
function Lines({ data, plot }: { readonly data: ChartData; readonly plot: Plot }) {
  const { x, y } = plot;
  const parts = data.series.map((series) => linesOf(data, series));
  const at = (point: { micros: Micros; value: number }) => `${x(point.micros).toFixed(1)},${y(point.value).toFixed(1)}`;
  const ends = parts.map((lines) => lines.at(-1)?.at(-1));
  const names: readonly LineName[] = plot.hasNames
    ? lineNames(ends.map((end) => (end === undefined ? null : y(end.value))))
    : [];
  return (
    <>
      {parts.map((lines, index) => (
        <g key={data.series[index]?.id} className={`s${index}`}>
          <path className="series" d={lines.map((line) => `M${line.map(at).join('L')}`).join('')} />
          {lines.map(([first, second]) =>
            first !== undefined && second === undefined ? (
              <circle key={first.micros} cx={x(first.micros)} cy={y(first.value)} r={2.5} />
            ) : null,
          )}
        </g>
      ))}
      {names.map(({ index, y: middle }) => (
        <text key={data.series[index]?.id} x={plot.width - plot.right + 8} y={middle + 4} className={`name s${index}`}>
          {withoutHidden(data.series[index]?.name ?? '').slice(0, 20)}
        </text>
      ))}
    </>
  );
}

/** Digits of values below one are those that say something. */
function valueText(value: number | null): string {
  if (value === null) return 'none';
  const digits = Math.abs(value) < 1 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 3 };
  return value.toLocaleString('en', digits);
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
