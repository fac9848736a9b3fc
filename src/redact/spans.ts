/** A part of the raw text to replace. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  /** The kind in the mark; undefined for a value that becomes null. */
  readonly kind: string | undefined;
  /** The canonical spelling of the value. */
  readonly canonical: () => string;
}

/**
 * Sorts replacements and merges overlapping ones. The one that starts first (the longer one if both start together) gives
 * the kind, and is extended to cover the other completely.
 */
export function withoutOverlaps(replacements: readonly Replacement[]): readonly Replacement[] {
  const sorted = [...replacements].sort((a, b) => a.from - b.from || b.to - a.to);
  const result: Replacement[] = [];
  let last: Replacement | undefined;
  for (const next of sorted) {
    if (last === undefined || next.from >= last.to) {
      result.push(next);
      last = next;
    } else if (next.to > last.to) {
      last = { ...last, to: next.to };
      result[result.length - 1] = last;
    }
  }
  return result;
}
