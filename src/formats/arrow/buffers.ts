import type { Pause } from '../../core/concurrency/turns.ts';
import { ByteSink } from '../byteSink.ts';

const firstBytes = 256;

/** Collects bits, the first in the lowest bit of a byte. */
export class BitSink {
  readonly #bytes = new ByteSink(firstBytes);
  #byte = 0;
  #length = 0;
  #unsetCount = 0;

  get length(): number {
    return this.#length;
  }

  get unsetCount(): number {
    return this.#unsetCount;
  }

  push(isSet: boolean): void {
    if (isSet) this.#byte |= 1 << (this.#length & 7);
    else this.#unsetCount += 1;
    this.#length += 1;
    if ((this.#length & 7) !== 0) return;
    this.#bytes.push(this.#byte);
    this.#byte = 0;
  }

  /** All bits; ends the collection. */
  async whole(pause: Pause): Promise<Uint8Array> {
    if ((this.#length & 7) !== 0) this.#bytes.push(this.#byte);
    return aligned(await this.#bytes.whole(pause));
  }
}

/** Numbers of the first buffer of a sink; each further one is twice as large. */
const firstWords = 128;
const wordValues = 2 ** 32;

/** Collects numbers of one width, in the byte order of the machine. */
export class NumberSink {
  #words = new Int32Array(firstWords);
  #floats = new Float64Array(this.#words.buffer);
  /** Words of four bytes. */
  #used = 0;

  get byteLength(): number {
    return this.#used * 4;
  }

  int32(value: number): void {
    if (this.#used === this.#words.length) this.#grow();
    this.#words[this.#used++] = value;
  }

  int64(value: bigint): void {
    this.#pair(Number(BigInt.asIntN(32, value)), Number(value >> 32n));
  }

  /** A safe integer, in eight bytes. */
  integer(value: number): void {
    this.#pair(value | 0, Math.floor(value / wordValues));
  }

  float64(value: number): void {
    if (this.#used === this.#words.length) this.#grow();
    this.#floats[this.#used >> 1] = value;
    this.#used += 2;
  }

  /** All numbers, at an offset that typed arrays of any width accept; ends the collection. */
  whole(): Uint8Array {
    return new Uint8Array(this.#words.buffer, 0, this.byteLength);
  }

  #pair(low: number, high: number): void {
    if (this.#used === this.#words.length) this.#grow();
    this.#words[this.#used] = low;
    this.#words[this.#used + 1] = high;
    this.#used += 2;
  }

  #grow(): void {
    const larger = new Int32Array(this.#words.length * 2);
    larger.set(this.#words);
    this.#words = larger;
    this.#floats = new Float64Array(larger.buffer);
  }
}

/** The bytes at an offset that typed arrays of any width accept. */
function aligned(bytes: Buffer): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
}
