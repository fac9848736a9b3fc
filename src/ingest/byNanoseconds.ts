import type { StoredEvent } from '../ports/eventLog.ts';

/**
 * Sorts the events of a batch that share a microsecond by the nanoseconds that are not stored (0 to 999), within the
 * positions that they occupy. All others keep the order in which they were sent.
 */
export function byNanoseconds(events: readonly StoredEvent[], nanos: readonly number[]): readonly StoredEvent[] {
  if (nanos.every((each) => each === 0)) return events;
  const places = new Map<number, number[]>();
  for (const [place, { timestampMicros }] of events.entries()) {
    const known = places.get(timestampMicros);
    if (known === undefined) places.set(timestampMicros, [place]);
    else known.push(place);
  }
  const ordered = [...events];
  for (const own of places.values()) {
    const sorted = own.toSorted((a, b) => (nanos[a] ?? 0) - (nanos[b] ?? 0));
    for (const [i, place] of own.entries()) {
      const event = events[sorted[i] ?? place];
      if (event !== undefined) ordered[place] = event;
    }
  }
  return ordered;
}
