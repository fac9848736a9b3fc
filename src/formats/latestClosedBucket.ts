const dayMs = 86_400_000;

/** Calendar buckets differ in length. Assuming the longest never takes an open one for closed. */
const calendarMaxMs = [
  { from: 28 * dayMs, to: 31 * dayMs },
  { from: 89 * dayMs, to: 92 * dayMs },
  { from: 365 * dayMs, to: 366 * dayMs },
] as const;

/**
 * The start of the latest bucket that had ended at `asOfMicros`. Buckets are as long as the shortest distance between two of
 * them. The only bucket is taken to be closed, because its length is not known. Null without a closed one.
 *
 * @param starts ISO texts of one type: TIMESTAMP, DATETIME or DATE, in any order
 */
export function latestClosedBucket(starts: readonly string[], asOfMicros: number): string | null {
  const distinct = [...new Set(starts)].map((text) => ({ text, ms: epochMs(text) })).sort((a, b) => a.ms - b.ms);
  const [first, second] = distinct;
  if (first === undefined) return null;
  if (second === undefined) return first.text;
  let shortestMs = second.ms - first.ms;
  for (let i = 2; i < distinct.length; i++) {
    shortestMs = Math.min(shortestMs, (distinct[i]?.ms ?? 0) - (distinct[i - 1]?.ms ?? 0));
  }
  const lengthMs = calendarMaxMs.find(({ from, to }) => shortestMs >= from && shortestMs <= to)?.to ?? shortestMs;
  return distinct.findLast(({ ms }) => ms + lengthMs <= asOfMicros / 1000)?.text ?? null;
}

/** A text without a zone is UTC. */
function epochMs(text: string): number {
  return Date.parse(/Z$|^\d{4}-\d\d-\d\d$/.test(text) ? text : `${text}Z`);
}
