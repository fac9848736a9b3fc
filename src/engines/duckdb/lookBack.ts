import type { FileStats } from './eventFiles.ts';

/** How many events a first look back is meant to hold: about the rows of a row group, which cost next to nothing to read. */
export const lookBackEventsDefault = 20_480;
/** A look back that did not hold enough is followed by one that is so many times longer. */
const growth = 8;

/**
 * The time from which on about `events` of the newest events lie, were they spread evenly; microseconds.
 * Null where looking at everything costs little more. A guess: whoever uses it looks at what it
 * found and goes further back where that is not enough.
 */
export function lookBack(files: readonly FileStats[], toMicros: bigint | null, events: number): bigint | null {
  const firstMicros = Math.min(...files.map((file) => file.firstMicros));
  const newestMicros = Math.max(...files.map((file) => file.lastMicros));
  const count = files.reduce((sum, file) => sum + file.count, 0);
  if (count <= events * 2) return null;
  const lastMicros = toMicros === null ? newestMicros : Math.min(newestMicros, Number(toMicros));
  const fromMicros = Math.floor(lastMicros - (newestMicros - firstMicros) * (events / count));
  return fromMicros > firstMicros ? BigInt(fromMicros) : null;
}

/** How many events to look back for after so many attempts that found too few. */
export function lookBackEvents(first: number, attempts: number): number {
  return first * growth ** attempts;
}
