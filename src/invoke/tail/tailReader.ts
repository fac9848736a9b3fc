import { Readable } from 'node:stream';
import { errorCatalogue } from '../../core/errorCatalogue.ts';
import type { ServiceError } from '../../core/errors.ts';
import type { CallFacts } from '../callFacts.ts';
import { formatMicros } from '../formatMicros.ts';
import type { TailBatch } from './tailBatch.ts';
import type { TailEventName, TailWriter } from './tailFormat.ts';
import { isAfter, type TailPlace, type UnusableId } from './tailIds.ts';

/** Bytes that wait for a reader before it counts as slow. */
export const queueBytesMax = 256 * 1024;

/** Milliseconds between marks, if nothing else is sent. */
const markMs = 15_000;

/** A reader that was up to date is brought up to date within this time and number of rows, or loses rows. */
const behindMsMax = 30_000;
const behindRowsMax = 10_000;

/** How long a reader that resumes may take to be brought up to date. */
const resumingMsMax = 15 * 60 * 1000;

/** How long a reader may take what was sent before the end. */
const endingMsMax = 10_000;

export interface TailReaderOptions {
  readonly writer: TailWriter;
  /** Writes the ID of a place. */
  readonly idOf: (place: TailPlace) => string;
  readonly nowMs: () => number;
  readonly nowMicros: () => number;
  readonly facts: CallFacts;
  readonly onDropped: (rows: number) => void;
  readonly onClosed: () => void;
}

/**
 * The queue of one tail. Rows go in as they are read from storage, in order. While it is full, rows are only counted; what
 * was counted is read again once the reader has taken the queue.
 */
export class TailReader {
  readonly stream: Readable;
  readonly #options: TailReaderOptions;
  /** Everything up to here is in the queue, was taken from it, or was reported as dropped. */
  #place: TailPlace;
  /** Since when it lacks rows that are stored; null if it lacks none. */
  #behindSinceMs: number | null = null;
  #isResuming = false;
  /** Rows that it lacks, as far as they were counted, and whether that is all of them. */
  #owed = 0;
  #isOwedExact = true;
  #isFull = false;
  #sentMs: number;
  #isEnded = false;
  #endedMs = 0;

  constructor(place: TailPlace, options: TailReaderOptions) {
    this.#place = place;
    this.#options = options;
    this.#sentMs = options.nowMs();
    this.stream = new Readable({
      highWaterMark: queueBytesMax,
      read: () => {
        this.#isFull = false;
      },
      destroy: (error, done) => {
        this.#isEnded = true;
        options.onClosed();
        done(error);
      },
    });
  }

  get place(): TailPlace {
    return this.#place;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether rows must be read from storage for it alone, and it has room for them. */
  get needsRows(): boolean {
    return this.#behindSinceMs !== null && !this.#isFull && !this.#isEnded;
  }

  begin(data: object, resumed: 'new' | 'resumed' | UnusableId): void {
    this.#push(Buffer.from(this.#options.writer.head));
    this.#event('start', data);
    if (resumed === 'resumed') {
      this.#isResuming = true;
      this.#isOwedExact = false;
      this.#behindSinceMs = this.#options.nowMs();
    } else if (resumed !== 'new') {
      this.#event('gap', { reason: resumed, from: formatMicros(this.#options.nowMicros()) });
    }
  }

  /** Takes rows that all tails with the same rows get. Those that it cannot take now are counted. */
  take(batch: TailBatch): void {
    const count = batch.countAfter(this.#place);
    if (this.#behindSinceMs !== null) {
      this.#owed += count;
      return;
    }
    const taken = this.#pushRows(batch);
    if (taken === count) {
      this.#advance(batch.end);
      return;
    }
    this.#behindSinceMs = this.#options.nowMs();
    this.#owed = count - taken;
  }

  /** Takes rows that were read for it alone, from its place on. `current` is how far the tails with the same rows are. */
  catchUp(batch: TailBatch, current: TailPlace): void {
    const count = batch.countAfter(this.#place);
    const taken = this.#pushRows(batch);
    this.#owed = Math.max(0, this.#owed - taken);
    if (taken < count) return;
    this.#advance(batch.end);
    if (!isAfter(current, this.#place)) this.#isUpToDate();
  }

  /** Does what is due: marks, and giving up on rows of a slow reader. `current`: see `catchUp`. */
  look(current: TailPlace): void {
    if (this.#isEnded) return;
    const nowMs = this.#options.nowMs();
    if (this.#behindSinceMs !== null) {
      const behindMs = nowMs - this.#behindSinceMs;
      const isLost = this.#isResuming
        ? behindMs >= resumingMsMax
        : behindMs >= behindMsMax || this.#owed > behindRowsMax;
      // While the queue is full, a report would not be read either.
      if (isLost && !this.#isFull) this.#drop(current);
    } else if (nowMs - this.#sentMs >= markMs) {
      this.#advance(current);
      this.#event('mark', {});
    }
  }

  /** Ends the tail with the code of an error. */
  end({ code, message }: ServiceError): void {
    if (this.#isEnded) return;
    const { retryable } = errorCatalogue[code];
    const text = this.#options.writer.event('end', null, JSON.stringify({ code, detail: message, retryable }));
    this.#push(Buffer.from(text));
    this.#isEnded = true;
    this.#endedMs = this.#options.nowMs();
    // A reader that takes nothing must not hold up a node that shuts down.
    if (this.#isFull) this.stream.destroy();
    else this.stream.push(null);
  }

  /** Gives the place free if the reader has not taken the end for long. */
  leaveIfLate(): void {
    if (this.#options.nowMs() - this.#endedMs >= endingMsMax) this.stream.destroy();
  }

  /** Returns how many rows had room. */
  #pushRows(batch: TailBatch): number {
    let taken = 0;
    for (const { rows, bytes } of batch.chunks(this.#options.writer, this.#place)) {
      const last = rows.at(-1);
      if (this.#isFull || this.#isEnded || last === undefined) break;
      this.#push(bytes);
      this.#place = last.place;
      taken += rows.length;
    }
    this.#options.facts.rowCount += taken;
    return taken;
  }

  #isUpToDate(): void {
    this.#behindSinceMs = null;
    this.#isResuming = false;
    this.#owed = 0;
    this.#isOwedExact = true;
  }

  #drop(current: TailPlace): void {
    this.#advance(current);
    this.#event('dropped', { count: this.#owed, exact: this.#isOwedExact });
    this.#options.onDropped(this.#owed);
    this.#isUpToDate();
  }

  #advance(place: TailPlace): void {
    if (isAfter(place, this.#place)) this.#place = place;
  }

  #event(name: TailEventName, data: object): void {
    const { writer, idOf } = this.#options;
    this.#push(Buffer.from(writer.event(name, idOf(this.#place), JSON.stringify(data))));
  }

  #push(bytes: Buffer): void {
    if (this.#isEnded || bytes.length === 0) return;
    this.#options.facts.bytes += bytes.length;
    this.#sentMs = this.#options.nowMs();
    if (!this.stream.push(bytes)) this.#isFull = true;
  }
}
