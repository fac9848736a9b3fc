import { type Cipher, createCipheriv, createDecipheriv } from 'node:crypto';
import type { Randomness } from '../../core/ids.ts';
import type { CursorKeys } from '../pages/cursorKeys.ts';

/** A place in a tail: everything up to a row of an event has been sent. */
export interface TailPlace {
  /** Arrival number of the event (ports/eventLog.ts). */
  readonly arrival: number;
  /** Index of the row among those of the event; `wholeEvent` after the last one. */
  readonly row: number;
}

/** Greater than the index of any row. */
export const wholeEvent = 0xff_ff_ff;

/** In an ID, every row from this one on stands for `wholeEvent`. */
const wholeFrom = 0x80_00_00;

/** How long a tail can be resumed after a place. */
export const resumeMicros = 15 * 60 * 1_000_000;

/** Why a tail cannot be resumed: the ID is not one of this tail, or too old. */
export type UnusableId = 'unknown' | 'expired';

const blockBytes = 16;
/** Characters of an ID. */
const idChars = 22;
/** Bytes of the hash of a tail. */
export const tailHashBytes = 3;
const algorithm = 'aes-256-ecb';

/**
 * Writes and reads the IDs of rows. An ID is one block: the place, the time, and a hash of the tail. It is encrypted,
 * because plain arrival numbers would show how many events others send. An ID after a whole event holds a random number,
 * because two equal IDs would show that nobody sent an event in between. The hash and the time are few bits, but a guessed
 * ID would only choose where its owner's tail begins.
 */
export class TailIds {
  readonly #keys: Pick<CursorKeys, 'all' | 'current'>;
  readonly #randomness: Randomness;
  #cipher: { readonly key: Buffer; readonly cipher: Cipher } | null = null;

  constructor(keys: Pick<CursorKeys, 'all' | 'current'>, randomness: Randomness) {
    this.#keys = keys;
    this.#randomness = randomness;
  }

  /** Returns a writer of IDs with the current key. Rejects with `service.store_unavailable`. */
  async writer(): Promise<(place: TailPlace, hash: Buffer, nowMicros: number) => string> {
    const { key } = await this.#keys.current();
    if (this.#cipher?.key !== key) {
      this.#cipher = { key, cipher: createCipheriv(algorithm, key, null).setAutoPadding(false) };
    }
    const { cipher } = this.#cipher;
    // Blocks do not depend on each other, so one cipher serves for all.
    return (place, hash, nowMicros) =>
      cipher.update(written(this.#rowOf(place), place.arrival, hash, nowMicros)).toString('base64url');
  }

  async read(id: string, hash: Buffer, nowMicros: number): Promise<TailPlace | UnusableId> {
    const block = Buffer.from(id, 'base64url');
    if (id.length !== idChars || block.length !== blockBytes || block.toString('base64url') !== id) return 'unknown';
    for (const { key } of await this.#keys.all()) {
      const decipher = createDecipheriv(algorithm, key, null).setAutoPadding(false);
      const plain = Buffer.concat([decipher.update(block), decipher.final()]);
      if (!plain.subarray(blockBytes - tailHashBytes).equals(hash)) continue;
      const ageMicros = nowMicros - plain.readUInt32BE(9) * 1_000_000;
      const row = plain.readUIntBE(6, 3);
      if (ageMicros > resumeMicros) return 'expired';
      return { arrival: plain.readUIntBE(0, 6), row: row < wholeFrom ? row : wholeEvent };
    }
    return 'unknown';
  }

  #rowOf({ row }: TailPlace): number {
    return row === wholeEvent ? wholeFrom | Buffer.from(this.#randomness.bytes(3)).readUIntBE(0, 3) : row;
  }
}

function written(row: number, arrival: number, hash: Buffer, nowMicros: number): Buffer {
  const block = Buffer.allocUnsafe(blockBytes);
  block.writeUIntBE(arrival, 0, 6);
  block.writeUIntBE(row, 6, 3);
  block.writeUInt32BE(Math.floor(nowMicros / 1_000_000), 9);
  hash.copy(block, blockBytes - tailHashBytes);
  return block;
}

/** Whether one place is after another. */
export function isAfter(a: TailPlace, b: TailPlace): boolean {
  return a.arrival === b.arrival ? a.row > b.row : a.arrival > b.arrival;
}
