/** More combining marks in a row than any script needs; the library sorts such a run by insertion. */
const longRun = /\p{M}{32,}/gu;

/** Steps of normalising a text: one for each character, and the square of each long run of combining marks. */
export function normalizeSteps(text: string): number {
  let steps = text.length + 1;
  for (const [run] of text.matchAll(longRun)) steps += run.length ** 2;
  return steps;
}
