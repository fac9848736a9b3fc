/** The name of a series beside the end of its line. */
export interface LineName {
  /** Of the series. */
  readonly index: number;
  readonly y: number;
}

const lineHeight = 14;

/** Moves names apart that would cover each other, in the order of the ends of their lines. Null for a series without a line. */
export function lineNames(ends: readonly (number | null)[]): readonly LineName[] {
  const names = ends.flatMap((y, index) => (y === null ? [] : [{ index, y }])).sort((a, b) => a.y - b.y);
  const placed: LineName[] = [];
  // From the bottom: most lines of counts end near zero, and there is nothing below it.
  for (const { index, y } of names.toReversed()) {
    const below = placed.at(-1);
    placed.push({ index, y: below === undefined ? y : Math.min(y, below.y - lineHeight) });
  }
  const least = Math.min(...placed.map(({ y }) => y));
  const down = least < lineHeight ? lineHeight - least : 0;
  return placed.map(({ index, y }) => ({ index, y: y + down })).sort((a, b) => a.index - b.index);
}
