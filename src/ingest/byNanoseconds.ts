import type { StoredEvent } from '../ports/eventLog.ts';

/**
 * The events of a batch, those of one microsecond in the order of the nanoseconds that are not stored (0 to 999), each in
 * a place of theirs. Of one nanosecond, and all others, they stay as they were sent.
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
