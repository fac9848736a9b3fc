import type { ArrivalRange } from '../googlesql/plan/scanBounds.ts';
import type { Source } from '../sources/source.ts';
import type { StoredEvent } from './eventLog.ts';

/** A stored event as its sender gave it, with its arrival number (eventLog.ts). */
export interface NumberedEvent
  extends Pick<StoredEvent, 'id' | 'timestampMicros' | 'project' | 'eventMessage' | 'metadata'> {
  /** 0 if the event was stored before events had numbers. */
  readonly number: number;
}

/** Events of one source with consecutive numbers. */
export interface NumberedBatch {
  readonly source: string;
  /** The number of the first event. */
  readonly first: number;
  /** At least one; exactly one if `first` is 0. */
  readonly events: readonly StoredEvent[];
}

/** A place among the events of a source without a number, which are copied in the order of their hashes (DayContents). */
export interface UnnumberedPlace {
  /** Hash of the last event before the place: decimal digits. */
  readonly hash: string;
  /** How many events before the place have this hash, because they are equal. At least 1. */
  readonly count: number;
}

/** The identity of a stored batch, as every store keeps it (batchFingerprint.ts). */
export interface StoredIdentity {
  /** Fingerprints of its key and of its digest. */
  readonly key: string;
  readonly digest: string;
  /** The acknowledgement to repeat on a retry. */
  readonly answer: string;
  readonly storedMicros: number;
}

/** The events of one project on one day in a store. */
export interface DayContents {
  readonly events: number;
  /**
   * Sum of a hash of each event: its ID, message, metadata (or that it has none), time and number. Equal in every store
   * for the same events.
   */
  readonly checksum: string;
}

export const dayMicros = 86_400_000_000;

/**
 * Reads and writes events with their arrival numbers, to copy them from one engine to another. Nobody else may use the store
 * meanwhile. Removed events are not read, even if they are still stored.
 */
export interface EventCopies {
  /** Whether events that were acknowledged cannot be read at present. */
  readonly isDamaged: boolean;
  /** A number that is higher than that of any event, present or removed. */
  end(): Promise<number>;
  /** The lowest number of an event after this one; null if there is none. */
  next(after: number): Promise<number | null>;
  /** The highest number of an event; null if there is none. Removed events may count. */
  last(): Promise<number | null>;
  /**
   * Yields the events of a source within the range in pages, in order of their numbers. Reads the next page when the
   * consumer asks for it. `from`: leaves out the events without a number before this place.
   */
  read(source: Source, range: ArrivalRange, from?: UnnumberedPlace | null): AsyncIterable<readonly NumberedEvent[]>;
  /** The place after the last event of a source without a number; null if there is none. */
  unnumbered(source: Source): Promise<UnnumberedPlace | null>;
  /** The days of the events of a source up to this number: whole days since 1970-01-01, ascending. */
  days(source: Source, to: number): Promise<readonly number[]>;
  /** The events of a day up to this number, by project. `nowMicros`: the time for removals by age. */
  contents(source: Source, day: number, to: number, nowMicros: number): Promise<ReadonlyMap<string, DayContents>>;
  /**
   * Prepares to continue a copy that was interrupted at any point. Every event up to the returned number is stored, none
   * above it. It is one below a multiple of `chunk`, unless each `write` is atomic.
   */
  resume(chunk: number): Promise<number>;
  /**
   * Stores events under their numbers, which must be higher than all stored numbers (or 0) and rise from batch to batch. If
   * it rejects, some events may be stored.
   */
  write(batches: readonly NumberedBatch[]): Promise<void>;
  /** Yields the identities of stored batches that are remembered in pages, the oldest first. */
  identities(): AsyncIterable<readonly StoredIdentity[]>;
  /** Remembers identities, which come in this order, so that a retry sent to this store is recognised. */
  remember(identities: readonly StoredIdentity[]): Promise<void>;
  /** Ends the copy. Later events get no number below `end`. */
  finish(end: number): Promise<void>;
}

/** Events and bytes that `EventCopies.read` holds at a time (one event always fits). */
export const pageEventsMax = 10_000;
export const pageBytesMax = 16 * 2 ** 20;

/** Identities in a page. */
export const pageIdentitiesMax = 1_000;

/** An event, and its hash if it has no number. */
export interface PlacedEvent {
  readonly event: NumberedEvent;
  readonly hash: string | null;
}

/**
 * Reads a range in pages. `readPage` returns the next events after a number, in order, those without a number by their hash
 * from that of `from` on; none at the end. It must return more than `from.count` events if there are more. Rules can
 * remove events between two pages, so a place is a hash, and not a position.
 */
export async function* pagesByNumber(
  { after }: Pick<ArrivalRange, 'after'>,
  from: UnnumberedPlace | null,
  readPage: (after: number, from: UnnumberedPlace | null) => Promise<readonly PlacedEvent[]>,
): AsyncGenerator<readonly NumberedEvent[]> {
  let place = from;
  for (let reached = after; ; ) {
    const known: UnnumberedPlace | null = place;
    const found = await readPage(reached, known);
    const isKnown = ({ hash }: PlacedEvent, at: number) => known !== null && hash === known.hash && at < known.count;
    const page = found.filter((each, at) => !isKnown(each, at));
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.map(({ event }) => event);
    if (last.hash === null) {
      reached = last.event.number;
      place = null;
    } else {
      const { hash } = last;
      place = { hash, count: found.filter((each) => each.hash === hash).length };
    }
  }
}
