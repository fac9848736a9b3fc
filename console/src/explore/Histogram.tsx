import { type KeyboardEvent, memo, type PointerEvent, useState } from 'react';
import { useWidth } from '../parts/useWidth.ts';
import { type Micros, printInstant, timeWriter, type Zone, zoneName } from '../time/instant.ts';
import type { Histogram as HistogramData } from './useSearch.ts';

interface HistogramProps {
  readonly data: HistogramData | null | undefined;
  readonly zone: Zone;
  /** Zooms into whole bars: from the first microsecond, up to but without the last. */
  readonly onZoom: (from: Micros, before: Micros) => void;
  readonly onClause: (clause: string) => void;
}

const height = 64;
const widthMin = 120;

/** Rows by time, in severities. A drag, or Shift with the arrows and Enter, zooms into whole bars. */
export const Histogram = memo(function Histogram({ data, zone, onZoom, onClause }: HistogramProps) {
  const [chosen, setChosen] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const [figure, width] = useWidth(widthMin);
  if (data === null || data === undefined) return <div className="histogram" aria-hidden="true" />;
  const { starts, total, errors, warnings, bars, severity } = data;
  const most = Math.max(1, ...total);
  const step = width / starts.length;
  const write = timeWriter(zone);
  const barAt = (event: PointerEvent): number => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / Math.max(box.width, 1);
    return Math.min(starts.length - 1, Math.max(0, Math.floor(share * starts.length)));
  };
  const zoom = (range: { from: number; to: number }) => {
    const from = starts[Math.min(range.from, range.to)];
    const last = starts[Math.max(range.from, range.to)];
    setChosen(null);
    if (from !== undefined && last !== undefined) onZoom(from, last + bars.barMicros);
  };
  const keys = (event: KeyboardEvent) => {
    const at = chosen?.to ?? pointed ?? starts.length - 1;
    const move = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (move !== 0) {
      event.preventDefault();
      const next = Math.min(starts.length - 1, Math.max(0, at + move));
      setPointed(next);
      setChosen(event.shiftKey ? { from: chosen?.from ?? at, to: next } : { from: next, to: next });
    } else if (event.key === 'Enter' && chosen !== null) zoom(chosen);
    else if (event.key === 'Escape' && chosen !== null) {
      event.stopPropagation();
      setChosen(null);
    }
  };
  const shown = pointed ?? chosen?.to ?? null;
  const label = (index: number): string =>
    `${write(starts[index] ?? 0, 'dayTime')}: ${count(total[index])} rows, ${count(errors[index])} errors, ${count(warnings[index])} warnings`;
  const rows = total.reduce((sum, each) => sum + each, 0);
  return (
    <figure ref={figure} className="histogram">
      <div
        role="slider"
        tabIndex={0}
        aria-label={`Rows by time, ${bars.label} per bar. Arrows move, Shift with arrows selects, Enter zooms.`}
        aria-valuemin={0}
        aria-valuemax={starts.length - 1}
        aria-valuenow={shown ?? starts.length - 1}
        aria-valuetext={label(shown ?? starts.length - 1)}
        onKeyDown={keys}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = barAt(event);
          setChosen({ from: at, to: at });
        }}
        onPointerMove={(event) => {
          const at = barAt(event);
          setPointed(at);
          if (event.buttons === 1 && chosen !== null) setChosen({ ...chosen, to: at });
        }}
        onPointerUp={() => {
          if (chosen !== null && chosen.from !== chosen.to) zoom(chosen);
          else setChosen(null);
        }}
        onPointerLeave={() => setPointed(null)}
      >
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <defs>
            <pattern id="stripes" width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="3" height="3" className="bar-warning" />
              <rect width="1" height="3" className="bar-stripe" />
            </pattern>
          </defs>
          {starts.map((start, index) => (
            <Bar
              key={start}
              x={index * step}
              step={step}
              heights={[errors[index] ?? 0, warnings[index] ?? 0, total[index] ?? 0].map(
                (each) => (each / most) * (height - 4),
              )}
              isChosen={chosen !== null && isBetween(index, chosen)}
            />
          ))}
        </svg>
      </div>
      <figcaption>
        <span>{write(starts[0] ?? 0, 'dayTime')}</span>
        <span>
          {shown === null ? (
            <>
              <span className="bar-width">
                1 bar = {bars.label}, {zoneName(zone)}
              </span>
              {severity !== null && (
                <>
                  <SeverityKey name="error" clause={severity.error} onClause={onClause} />
                  <SeverityKey name="warning" clause={severity.warning} onClause={onClause} />
                </>
              )}
            </>
          ) : (
            label(shown)
          )}
        </span>
        <span>{write((starts.at(-1) ?? 0) + bars.barMicros, 'dayTime')}</span>
      </figcaption>
      <table className="unseen">
        <caption>
          {rows} rows by time in {zoneName(zone)}
        </caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">Rows</th>
            <th scope="col">Errors</th>
            <th scope="col">Warnings</th>
          </tr>
        </thead>
        <tbody>
          {starts.map((start, index) => (
            <tr key={start}>
              <td>{printInstant(start)}</td>
              <td>{total[index]}</td>
              <td>{errors[index]}</td>
              <td>{warnings[index]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
});

interface SeverityKeyProps {
  readonly name: 'error' | 'warning';
  readonly clause: string;
  readonly onClause: (clause: string) => void;
}

/** What a colour of the bars means, and the way to its rows. */
function SeverityKey({ name, clause, onClause }: SeverityKeyProps) {
  return (
    <button
      type="button"
      className="quiet severity-key"
      title={`Keep only rows with ${clause}`}
      onClick={() => onClause(clause)}
    >
      <i className={`key-${name}`} /> {name}
    </button>
  );
}

const count = (value: number | undefined): string => (value ?? 0).toLocaleString('en');

const isBetween = (index: number, { from, to }: { from: number; to: number }): boolean =>
  index >= Math.min(from, to) && index <= Math.max(from, to);

interface BarProps {
  readonly x: number;
  /** Its width, with the gap after it. */
  readonly step: number;
  /** Heights of the errors, the warnings and all rows. */
  readonly heights: readonly number[];
  readonly isChosen: boolean;
}

/** Any count is seen: the smallest bar has one unit. */
function Bar({ x, step, heights, isChosen }: BarProps) {
  const width = step - Math.min(2, step / 4);
  const [error, warning, all] = heights.map((each) => (each > 0 ? Math.max(each, 1.5) : 0)) as [number, number, number];
  const rest = Math.max(0, all - error - warning);
  const part = (from: number, size: number, name: string, fill?: string) =>
    size > 0 && <rect x={x} y={height - from - size} width={width} height={size} className={name} fill={fill} />;
  return (
    <g>
      {isChosen && <rect x={x - 1} y={0} width={step} height={height} className="bar-chosen" />}
      {part(0, error, 'bar-error')}
      {part(error, warning, '', 'url(#stripes)')}
      {part(error + warning, rest, 'bar-rest')}
    </g>
  );
}
