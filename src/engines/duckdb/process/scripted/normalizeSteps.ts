/** Combining marks in a row that no writing needs; the library sorts such a run by inserting one after the other. */
const longRun = /\p{M}{32,}/gu;

/** Steps of bringing a text into a normal form: a look at each character, and the square of each long run of combining marks. */
export function normalizeSteps(text: string): number {
  let steps = text.length + 1;
  for (const [run] of text.matchAll(longRun)) steps += run.length ** 2;
  return steps;
}
