/** A part of a raw text that is to be replaced. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  /** What its mark says; undefined for what becomes null and has no mark. */
  readonly kind: string | undefined;
  /** One spelling of what was found. */
  readonly canonical: () => string;
}

/**
 * In the order of the text and without overlaps: of two that overlap, the one that starts first (the
 * longer of two that start together) gives the kind, and takes in all of the other, so nothing of it is left over.
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
