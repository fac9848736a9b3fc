import { copiedAtOnceMax, copyInTurns } from '../../../../core/concurrency/copyInTurns.ts';
import type { Pause } from '../../../../core/concurrency/turns.ts';
import { copyBytes } from '../../../../core/copyBytes.ts';
import { shortKeyBytesMax } from '../../../../ports/queryEngine.ts';
import type { BlobSpans } from './blobSpans.ts';
import { doubledAtOnceMax, type QuoteDoubler } from './quoteDoubler.ts';
import type { FramedRows, TakenFrame } from './rowFrames.ts';

const comma = 0x2c;
const nullRow = Buffer.from('null');

/** The texts of rows: the one that was read last is `bytes` from `from` to `to`. */
export interface RowSpans {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** Returns whether the row has a text, which is not NULL. */
  read(row: number): boolean;
}

/** A frame has whole rows, and the service holds several frames. */
export const framedRowBytesMax = 16 * 1024 * 1024;

/** Rows that are copied together have at most so many bytes, so that frames stay small. */
const touchingBytesMax = 64 * 1024;

/**
 * Joins encoded rows with commas until the limit of rows or bytes is reached, in one or several frames. The rows of frames
 * end with a comma already.
 */
export class RowBytes implements FramedRows {
  readonly #rowsMax: number;
  readonly #bytesMax: number;
  #buffer: Buffer = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  /** Ends of the rows in the buffer, without their commas; only of frames. */
  readonly #ends: number[] = [];
  #takenBytes = 0;
  #rowCount = 0;
  #hasMore = false;
  #cutByBytes = false;
  #firstKey: Buffer | null = null;
  #lastKey: Buffer = Buffer.alloc(0);
  #lastKeyBytes = 0;
  #shortKeyRows: readonly [number, number] | null = null;
  readonly #keys: string[] | null;
  readonly #doubler: QuoteDoubler | null;

  /**
   * `hasRowKeys`: whether the keys of every row are kept. `doubler`: doubles quotes in the rows, which are lines of CSV; only
   * of frames.
   */
  constructor(
    rowsMax: number,
    bytesMax: number,
    {
      hasRowKeys = false,
      doubler = null,
    }: { readonly hasRowKeys?: boolean; readonly doubler?: QuoteDoubler | null } = {},
  ) {
    this.#rowsMax = rowsMax;
    this.#bytesMax = bytesMax;
    this.#keys = hasRowKeys ? [] : null;
    this.#doubler = doubler;
  }

  /** Bytes of the frame that is being filled. */
  get frameBytes(): number {
    return this.#length;
  }

  /** False once a further row would be left out. */
  get isOpen(): boolean {
    return !this.#hasMore && !this.#cutByBytes;
  }

  /** Whether a row of so many bytes may make `add` copy many rows into a larger buffer (`growInTurns`). */
  isFilling(bytes: number): boolean {
    return this.#length > copiedAtOnceMax && this.#length + bytes > this.#buffer.length && !this.#isLargest;
  }

  /** Doubles the buffer in turns, for a thread that others need. */
  async growInTurns(pause: Pause): Promise<void> {
    const larger = Buffer.allocUnsafe(Math.min(this.#bytesMax, this.#buffer.length * 2));
    await copyInTurns(this.#buffer.subarray(0, this.#length), larger, 0, pause);
    this.#buffer = larger;
  }

  get #isLargest(): boolean {
    return this.#buffer.length >= this.#bytesMax;
  }

  /** Adds a row, and returns whether it was added. */
  add(spans: RowSpans, row: number): boolean {
    return spans.read(row) ? this.#add(spans.bytes, spans.from, spans.to) : this.#add(nullRow, 0, nullRow.length);
  }

  #add(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#rowCount === this.#rowsMax) {
      this.#hasMore = true;
      return false;
    }
    const separator = this.#length === 0 ? 0 : 1;
    const end = this.#length + separator + to - from;
    if (this.#takenBytes + end > this.#bytesMax) {
      this.#cutByBytes = true;
      return false;
    }
    this.#reserve(end);
    if (separator === 1) this.#buffer[this.#length] = comma;
    copyBytes(bytes, from, to, this.#buffer, this.#length + separator);
    this.#length = end;
    this.#rowCount++;
    return true;
  }

  /** Adds rows to the frame from `row` on, as many as lie side by side, and returns how many they are. */
  addTouching(spans: BlobSpans, row: number): number {
    const rowsLeft = this.#rowsMax - this.#rowCount;
    const bytesLeft = this.#bytesMax - this.#takenBytes - this.#length + 1;
    const known = this.#ends.length;
    const count = spans.readTouching(row, rowsLeft, Math.min(bytesLeft, touchingBytesMax), this.#ends);
    if (count === 0) return this.#addFramed(spans, row) ? 1 : 0;
    if (this.#doubler !== null) return this.#addDoubling(spans, this.#ends.splice(known), this.#doubler);
    for (let i = known; i < this.#ends.length; i++) this.#ends[i] = (this.#ends[i] ?? 0) + this.#length - 1;
    this.#append(spans);
    this.#rowCount += count;
    return count;
  }

  /** Adds a row that cannot be copied with others, and returns whether it was added. */
  #addFramed(spans: BlobSpans, row: number): boolean {
    if (!spans.read(row)) throw new Error('a row of a frame is NULL');
    const count = spans.to - spans.from;
    if (this.#rowCount === this.#rowsMax) {
      this.#hasMore = true;
      return false;
    }
    if (this.#doubler !== null) {
      if (count > doubledAtOnceMax) return this.#addLongDoubling(spans, this.#doubler);
      return this.#addDoubling(spans, [count], this.#doubler) === 1;
    }
    // The last comma is not handed over.
    const isBeyond = this.#takenBytes + this.#length + count - 1 > this.#bytesMax;
    if (isBeyond || count - 1 > framedRowBytesMax) {
      this.#cutByBytes = true;
      return false;
    }
    this.#append(spans);
    this.#ends.push(this.#length - 1);
    this.#rowCount++;
    return true;
  }

  /** Adds rows that end at `ends` from the beginning of the span, and returns how many fit. */
  #addDoubling({ bytes, from, to }: BlobSpans, ends: readonly number[], doubler: QuoteDoubler): number {
    const begin = this.#length;
    doubler.load(bytes, from, to);
    let written = 0;
    let added = 0;
    for (const end of ends) {
      const next = doubler.doubleUntil(end);
      // The last byte of the last row is not handed over.
      if (this.#takenBytes + begin + next - 1 > this.#bytesMax) {
        this.#cutByBytes = true;
        break;
      }
      written = next;
      added++;
      this.#ends.push(begin + written - 1);
    }
    this.#appendBytes(doubler.written(written), 0, written);
    this.#rowCount += added;
    return added;
  }

  /** Adds a row that is too long to be doubled at once, and returns whether it was added. */
  #addLongDoubling({ bytes, from, to }: BlobSpans, doubler: QuoteDoubler): boolean {
    const begin = this.#length;
    for (let next = from; next < to; next += doubledAtOnceMax) {
      const count = Math.min(to - next, doubledAtOnceMax);
      doubler.load(bytes, next, next + count);
      const written = doubler.doubleUntil(count);
      const end = this.#length + written;
      if (this.#takenBytes + end - 1 > this.#bytesMax || end - begin - 1 > framedRowBytesMax) {
        this.#length = begin;
        this.#cutByBytes = true;
        return false;
      }
      this.#appendBytes(doubler.written(written), 0, written);
    }
    this.#ends.push(this.#length - 1);
    this.#rowCount++;
    return true;
  }

  #append({ bytes, from, to }: BlobSpans): void {
    this.#appendBytes(bytes, from, to);
  }

  #appendBytes(bytes: Uint8Array, from: number, to: number): void {
    const end = this.#length + to - from;
    this.#reserve(end);
    copyBytes(bytes, from, to, this.#buffer, this.#length);
    this.#length = end;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  /** Hands over the rows of the frame and the ends of each, and goes on in another buffer. */
  takeFrame(next: Buffer): TakenFrame {
    const ends = Uint32Array.from(this.#ends);
    this.#ends.length = 0;
    const buffer = this.#buffer;
    const bytes = buffer.subarray(0, Math.max(0, this.#length - 1));
    this.#takenBytes += this.#length;
    this.#buffer = next;
    this.#length = 0;
    return { rowCount: ends.length, payload: [bytes, new Uint8Array(ends.buffer)], buffer };
  }

  /** The page keys of the row that was added last. */
  setKey(spans: RowSpans, row: number): void {
    const { bytes, from, to } = spans.read(row) ? spans : { bytes: nullRow, from: 0, to: nullRow.length };
    const length = to - from;
    this.#firstKey ??= Buffer.from(bytes.subarray(from, to));
    // One buffer for all, because every row is the last one once.
    if (this.#lastKey.length < length) this.#lastKey = Buffer.allocUnsafe(2 * length);
    copyBytes(bytes, from, to, this.#lastKey, 0);
    this.#lastKeyBytes = length;
    if (length <= shortKeyBytesMax) {
      const at = this.#rowCount - 1;
      this.#shortKeyRows = [this.#shortKeyRows?.[0] ?? at, at];
    }
    this.#keys?.push(this.#lastKey.toString('utf8', 0, length));
  }

  finish() {
    const first = this.#firstKey;
    const pageKeys: readonly [string, string] | null =
      first === null ? null : [first.toString('utf8'), this.#lastKey.toString('utf8', 0, this.#lastKeyBytes)];
    return {
      bytes: this.#buffer.subarray(0, this.#length),
      facts: {
        rowCount: this.#rowCount,
        hasMore: this.#hasMore,
        cutByBytes: this.#cutByBytes,
        pageKeys,
        ...(this.#shortKeyRows === null ? {} : { shortKeyRows: this.#shortKeyRows }),
        ...(this.#keys === null ? {} : { rowKeys: this.#keys }),
      },
    };
  }
}
