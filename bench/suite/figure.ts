import { rounded } from '../percentile.ts';
import type { HeldTarget } from './targets.ts';

/** One measured figure: a line of the suite's table. */
export interface Figure {
  /** Part of the suite that measured it. */
  readonly part: string;
  /** Events in the folder; null if the figure does not depend on a folder. */
  readonly events: number | null;
  readonly what: string;
  readonly measured: number;
  /** Unit of `measured`, of `beside` and of `further`. */
  readonly unit: 'ms' | 'events/s' | 'calls/s' | 'answers' | 'MB' | 'bytes';
  /** The compared program, measured in turn with it in the same run. */
  readonly beside: { readonly what: string; readonly value: number } | null;
  /** Median of the ratios of the rounds; null to use the ratio of the two medians. */
  readonly pairedRatio: number | null;
  readonly target: HeldTarget | null;
  /** Further numbers by name, in the same unit. */
  readonly further: Readonly<Record<string, number>>;
}

type Given = Pick<Figure, 'part' | 'what' | 'measured' | 'unit'> & Partial<Figure>;

export function figure(given: Given): Figure {
  return { events: null, beside: null, pairedRatio: null, target: null, further: {}, ...given };
}

/** `measured` divided by the compared value; null if nothing is compared. */
export function ratioOf({ measured, beside, pairedRatio }: Figure): number | null {
  if (pairedRatio !== null) return pairedRatio;
  return beside === null ? null : measured / beside.value;
}

/** A number with its unit, for tables. */
export function withUnit(value: number, unit: Figure['unit']): string {
  const isWhole = unit === 'events/s' || unit === 'calls/s' || unit === 'answers' || unit === 'MB' || unit === 'bytes';
  const text = isWhole && value >= 100 ? Math.round(value).toLocaleString('en') : String(rounded(value));
  return `${text} ${unit}`;
}

export function eventsText(events: number | null): string {
  if (events === null) return '';
  return events >= 1e6 ? `${rounded(events / 1e6)} M` : events.toLocaleString('en');
}

/** Cells of a line: events, what, measured with further numbers, comparison, ratio, target, whether it is met. */
export function cellsOf(line: Figure): readonly string[] {
  const { what, measured, unit, beside, target, further } = line;
  const more = Object.entries(further).map(([name, value]) => `${name} ${withUnit(value, unit)}`);
  const ratio = ratioOf(line);
  return [
    eventsText(line.events),
    what,
    [withUnit(measured, unit), ...more].join('; '),
    beside === null ? '' : `${beside.what}: ${withUnit(beside.value, unit)}`,
    ratio === null ? '' : `${rounded(ratio)}×`,
    target === null ? '' : target.bound,
    target === null ? '' : target.isMet ? 'yes' : 'NO',
  ];
}

export const headings = ['events', 'what', 'measured', 'compared with', 'ratio', 'target', 'met'] as const;
