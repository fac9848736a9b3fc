import { runCharsMin } from '../../../googlesql/plan/requiredRun.ts';

/** Bits per event at most, so that a filter stays small beside its events; and bits of any filter. */
const bitsPerEventMax = 2;
const bitsMax = 2 ** 22;
/** Share of bits that are set at most: a run of 20 characters is then found by chance once in a thousand times. */
const setShareMax = 1 / 4;
const bitsMin = 64;
/** Bits that a filter of few events may have. */
const smallBitsMax = 2 ** 13;

/**
 * Collects the runs of letters and digits in the texts of a segment, as a bit for each part of `runCharsMin` characters.
 * A run that was not added may be found (then its events are read for nothing), but each part of an added run always is.
 */
export class FragmentFilterWriter {
  #bits: Uint8Array;

  constructor(events: number) {
    const wanted = Math.min(bitsMax, Math.max(smallBitsMax, bitsPerEventMax * events));
    this.#bits = new Uint8Array(2 ** Math.ceil(Math.log2(wanted)) / 8);
  }

  add(run: string): void {
    const mask = this.#bits.length * 8 - 1;
    for (const hash of partHashes(run)) {
      const bit = hash & mask;
      this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }

  /** The smallest filter that is not too full; empty if nothing was added, null if every filter would be too full. */
  encoded(): string | null {
    let bits = this.#bits;
    if (bits.every((byte) => byte === 0)) return '';
    if (setShare(bits) > setShareMax) return null;
    while (bits.length * 8 > bitsMin) {
      const half = bits.slice(0, bits.length / 2);
      for (let i = 0; i < half.length; i++) half[i] = (half[i] ?? 0) | (bits[half.length + i] ?? 0);
      if (setShare(half) > setShareMax) break;
      bits = half;
    }
    return Buffer.from(bits).toString('base64');
  }
}

/** The written filter of a segment. */
export class FragmentFilter {
  readonly #bits: Uint8Array;

  constructor(encoded: string) {
    this.#bits = Buffer.from(encoded, 'base64');
  }

  /** False only if no added run contains this one, which has `runCharsMin` letters and digits or more. */
  mayContain(run: string): boolean {
    if (this.#bits.length === 0) return false;
    const mask = this.#bits.length * 8 - 1;
    for (const hash of partHashes(run)) {
      const bit = hash & mask;
      if (((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

/** A hash for each part; the same in every version, because it is stored. */
function* partHashes(run: string): Iterable<number> {
  for (let start = 0; start + runCharsMin <= run.length; start++) {
    let hash = 0x811c9dc5;
    for (let i = start; i < start + runCharsMin; i++) hash = Math.imul(hash ^ run.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    yield (hash ^ (hash >>> 13)) >>> 0;
  }
}

function setShare(bits: Uint8Array): number {
  let set = 0;
  for (let byte of bits) for (; byte !== 0; byte &= byte - 1) set++;
  return set / (bits.length * 8);
}
