import { copyBytes } from '../../../../core/copyBytes.ts';
import { type ColumnLayout, fixedBytes } from '../../../../ports/columnFrame.ts';
import type { ColumnVector } from './columnVectors.ts';

const firstBytes = 16 * 1024;

/** Bytes that grow, and are used again for each frame. */
class Bytes {
  bytes: Uint8Array = new Uint8Array(firstBytes);
  length = 0;

  /** Makes room for so many more bytes. */
  reserve(count: number): void {
    const wanted = this.length + count;
    if (wanted <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  /** Forgets the bytes, and memory that a long value needed. */
  clear(): void {
    if (this.bytes.length > keptBytesMax) this.bytes = new Uint8Array(firstBytes);
    this.length = 0;
  }
}

const keptBytesMax = 1024 * 1024;

/** Bits that grow, the first in the lowest of a byte. */
class Bits {
  readonly #bytes = new Bytes();
  #length = 0;
  #unsetCount = 0;

  get unsetCount(): number {
    return this.#unsetCount;
  }

  get whole(): Uint8Array {
    return this.#bytes.bytes.subarray(0, Math.ceil(this.#length / 8));
  }

  push(isSet: boolean): void {
    const at = this.#length >> 3;
    const bit = this.#length & 7;
    if (bit === 0) {
      this.#bytes.length = at;
      this.#bytes.reserve(1);
      this.#bytes.bytes[at] = 0;
    }
    if (isSet) this.#bytes.bytes[at] = (this.#bytes.bytes[at] ?? 0) | (1 << bit);
    else this.#unsetCount += 1;
    this.#length += 1;
  }

  pushSet(count: number): void {
    let left = count;
    for (; left > 0 && (this.#length & 7) !== 0; left--) this.push(true);
    const whole = left >> 3;
    const at = this.#length >> 3;
    this.#bytes.length = at;
    this.#bytes.reserve(whole);
    this.#bytes.bytes.fill(0xff, at, at + whole);
    this.#length += whole * 8;
    for (left &= 7; left > 0; left--) this.push(true);
  }

  clear(): void {
    this.#bytes.clear();
    this.#length = 0;
    this.#unsetCount = 0;
  }
}

/** Collects the values of one column of a frame. The memory below a NULL may hold another row's value, so it is not copied. */
export class ColumnValues {
  readonly #layout: ColumnLayout;
  readonly #validity = new Bits();
  readonly #bits = new Bits();
  readonly #values = new Bytes();
  #ends = new Int32Array(firstBytes / 4);
  #length = 0;

  constructor(layout: ColumnLayout) {
    this.#layout = layout;
  }

  /** Adds the values from row `from` to row `to`. */
  append(vector: ColumnVector, from: number, to: number): void {
    if (vector.hasNulls) for (let row = from; row < to; row++) this.#validity.push(!vector.isNull(row));
    else this.#validity.pushSet(to - from);
    if (this.#layout === 'bytes') this.#appendBytes(vector, from, to);
    else if (this.#layout === 'bits')
      for (let row = from; row < to; row++) this.#bits.push(vector.data[row] === 1 && !vector.isNull(row));
    else this.#appendWords(vector, from, to, this.#layout === 'words4' ? 4 : 8);
    this.#length += to - from;
  }

  #appendWords(vector: ColumnVector, from: number, to: number, width: number): void {
    const begin = this.#values.length;
    this.#values.reserve((to - from) * width);
    const { bytes } = this.#values;
    bytes.set(vector.data.subarray(from * width, to * width), begin);
    this.#values.length = begin + (to - from) * width;
    if (!vector.hasNulls) return;
    for (let row = from; row < to; row++) {
      if (vector.isNull(row)) bytes.fill(0, begin + (row - from) * width, begin + (row - from + 1) * width);
    }
  }

  /** Values that lie side by side are copied together. */
  #appendBytes({ spans }: ColumnVector, from: number, to: number): void {
    if (spans === null) throw new Error('a column of bytes has none');
    this.#reserveEnds(this.#length + to - from + 1);
    this.#ends[0] = 0;
    let run: Uint8Array = spans.bytes;
    let runFrom = 0;
    let runTo = 0;
    let end = this.#values.length;
    for (let row = from; row < to; row++) {
      if (spans.read(row)) {
        if (spans.bytes !== run || spans.from !== runTo) {
          this.#appendRun(run, runFrom, runTo);
          run = spans.bytes;
          runFrom = spans.from;
        }
        runTo = spans.to;
        end += spans.to - spans.from;
      }
      this.#ends[this.#length + row - from + 1] = end;
    }
    this.#appendRun(run, runFrom, runTo);
  }

  #appendRun(bytes: Uint8Array, from: number, to: number): void {
    if (from === to) return;
    this.#values.reserve(to - from);
    copyBytes(bytes, from, to, this.#values.bytes, this.#values.length);
    this.#values.length += to - from;
  }

  #reserveEnds(count: number): void {
    if (count <= this.#ends.length) return;
    const larger = new Int32Array(Math.max(count, this.#ends.length * 2));
    larger.set(this.#ends);
    this.#ends = larger;
  }

  get nullCount(): number {
    return this.#validity.unsetCount;
  }

  get valueBytes(): number {
    return this.#layout === 'bits' ? fixedBytes('bits', this.#length) : this.#values.length;
  }

  /** The parts of the column, each as long as it is in a frame before it is aligned. */
  get parts(): readonly Uint8Array[] {
    const values = this.#layout === 'bits' ? this.#bits.whole : this.#values.bytes.subarray(0, this.#values.length);
    const offsets = this.#layout === 'bytes' ? [new Uint8Array(this.#ends.buffer, 0, (this.#length + 1) * 4)] : [];
    return [...(this.nullCount === 0 ? [] : [this.#validity.whole]), ...offsets, values];
  }

  clear(): void {
    this.#validity.clear();
    this.#bits.clear();
    this.#values.clear();
    this.#length = 0;
  }
}
