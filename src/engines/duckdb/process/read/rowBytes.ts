import { copyBytes } from '../../../../core/copyBytes.ts';
import type { BlobSpans } from './blobSpans.ts';

const comma = 0x2c;
const nullRow = Buffer.from('null');

/** A frame has whole rows, and the service holds several frames. */
export const framedRowBytesMax = 16 * 1024 * 1024;

/** Joins encoded rows with commas until the limit of rows or bytes is reached, in one or several frames. */
export class RowBytes {
  readonly #rowsMax: number;
  readonly #bytesMax: number;
  #buffer: Buffer = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  /** Ends of the rows in the buffer; null if there is only one frame. */
  readonly #ends: number[] | null;
  #takenBytes = 0;
  #rowCount = 0;
  #hasMore = false;
  #cutByBytes = false;
  #firstKey: Buffer | null = null;
  #lastKey: Buffer | null = null;
  readonly #keys: string[] | null;

  /** `hasRowKeys`: whether the keys of every row are kept. `hasFrames`: whether rows are handed over in frames. */
  constructor(
    rowsMax: number,
    bytesMax: number,
    { hasRowKeys = false, hasFrames = false }: { readonly hasRowKeys?: boolean; readonly hasFrames?: boolean } = {},
  ) {
    this.#rowsMax = rowsMax;
    this.#bytesMax = bytesMax;
    this.#keys = hasRowKeys ? [] : null;
    this.#ends = hasFrames ? [] : null;
  }

  /** Bytes of the frame that is being filled. */
  get frameBytes(): number {
    return this.#length;
  }

  /** False once a further row would be left out. */
  get isOpen(): boolean {
    return !this.#hasMore && !this.#cutByBytes;
  }

  /** Adds a row, and returns whether it was added. */
  add(spans: BlobSpans, row: number): boolean {
    return spans.read(row) ? this.#add(spans.bytes, spans.from, spans.to) : this.#add(nullRow, 0, nullRow.length);
  }

  #add(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#rowCount === this.#rowsMax) {
      this.#hasMore = true;
      return false;
    }
    const separator = this.#length === 0 ? 0 : 1;
    const end = this.#length + separator + to - from;
    if (this.#takenBytes + end > this.#bytesMax || (this.#ends !== null && to - from > framedRowBytesMax)) {
      this.#cutByBytes = true;
      return false;
    }
    if (end > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    if (separator === 1) this.#buffer[this.#length] = comma;
    copyBytes(bytes, from, to, this.#buffer, this.#length + separator);
    this.#length = end;
    this.#ends?.push(end);
    this.#rowCount++;
    return true;
  }

  /** Hands over the rows of the frame and the ends of each, and goes on in another buffer. */
  takeFrame(next: Buffer): { readonly bytes: Buffer; readonly ends: Uint32Array; readonly buffer: Buffer } {
    const ends = Uint32Array.from(this.#ends ?? []);
    if (this.#ends !== null) this.#ends.length = 0;
    const buffer = this.#buffer;
    const bytes = buffer.subarray(0, this.#length);
    this.#takenBytes += this.#length;
    this.#buffer = next;
    this.#length = 0;
    return { bytes, ends, buffer };
  }

  /** The page keys of the row that was added last. */
  setKey(spans: BlobSpans, row: number): void {
    const bytes = spans.read(row) ? Buffer.from(spans.bytes.subarray(spans.from, spans.to)) : nullRow;
    this.#firstKey ??= bytes;
    this.#lastKey = bytes;
    this.#keys?.push(bytes.toString('utf8'));
  }

  finish() {
    const [first, last] = [this.#firstKey, this.#lastKey];
    const pageKeys: readonly [string, string] | null =
      first === null || last === null ? null : [first.toString('utf8'), last.toString('utf8')];
    return {
      bytes: this.#buffer.subarray(0, this.#length),
      facts: {
        rowCount: this.#rowCount,
        hasMore: this.#hasMore,
        cutByBytes: this.#cutByBytes,
        pageKeys,
        ...(this.#keys === null ? {} : { rowKeys: this.#keys }),
      },
    };
  }
}
