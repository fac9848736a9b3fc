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

/** Collects numbers of one width, little-endian. */
export class NumberSink {
  readonly #bytes = new ByteSink(firstBytes);
  readonly #scratch = Buffer.alloc(8);

  get byteLength(): number {
    return this.#bytes.length;
  }

  int32(value: number): void {
    this.#scratch.writeInt32LE(value);
    this.#bytes.append(this.#scratch, 0, 4);
  }

  int64(value: bigint): void {
    this.#scratch.writeBigInt64LE(value);
    this.#bytes.append(this.#scratch);
  }

  float64(value: number): void {
    this.#scratch.writeDoubleLE(value);
    this.#bytes.append(this.#scratch);
  }

  async whole(pause: Pause): Promise<Uint8Array> {
    return aligned(await this.#bytes.whole(pause));
  }
}

/** The bytes at an offset that typed arrays of any width accept. */
function aligned(bytes: Buffer): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
}
