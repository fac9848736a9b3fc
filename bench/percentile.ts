/** The ⌈share·n⌉-th smallest; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Rounds to three significant digits, which is more than the noise allows. */
export const rounded = (value: number): number => Number(value.toPrecision(3));
