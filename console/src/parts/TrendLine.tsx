import { linePath } from './linePath.ts';

interface TrendLineProps {
  /** Oldest first; null breaks the line. */
  readonly values: readonly (number | null)[];
  /** What the line shows, for screen readers. */
  readonly label: string;
  readonly textOf: (value: number) => string;
}

const size = { width: 160, height: 36 };

/** A small line without axes, from zero. Its range is told in words. */
export function TrendLine({ values, label, textOf }: TrendLineProps) {
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as readonly number[];
  if (known.length < 2)
    return <svg className="trend-line" viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true" />;
  const high = Math.max(...known, 0);
  const low = Math.min(...known, 0);
  const x = (index: number): number => (index / Math.max(values.length - 1, 1)) * size.width;
  const y = (value: number): number => size.height - 2 - ((value - low) / (high - low || 1)) * (size.height - 4);
  return (
    <svg
      className="trend-line"
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: between ${textOf(Math.min(...known))} and ${textOf(Math.max(...known))}`}
    >
      <path d={linePath(values, x, y)} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
