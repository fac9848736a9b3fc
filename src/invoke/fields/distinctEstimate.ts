/** Hashes kept. The standard error of an estimate is about 1.2 / √hashesMax, 5 %. */
const hashesMax = 512;

/** Longer texts are told apart by their beginnings and lengths. */
const hashedCharsMax = 256;

/** Estimates how many distinct texts were added, in bounded memory (adaptive sampling; Flajolet, 1990). Exact up to 512. */
export class DistinctEstimate {
  readonly #hashes = new Set<number>();
  /** Only hashes that have none of these bits are kept. */
  #mask = 0;
  #added = 0;

  add(text: string): void {
    this.#added += 1;
    const hash = hashOf(text);
    if ((hash & this.#mask) !== 0) return;
    this.#hashes.add(hash);
    while (this.#hashes.size > hashesMax) {
      this.#mask = (this.#mask << 1) | 1;
      for (const kept of this.#hashes) if ((kept & this.#mask) !== 0) this.#hashes.delete(kept);
    }
  }

  /** At most as many as were added. */
  get count(): number {
    return Math.min(this.#added, this.#hashes.size * (this.#mask + 1));
  }
}

/** FNV-1a, with the mixing of MurmurHash3, because the mask needs even low bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  const end = Math.min(text.length, hashedCharsMax);
  for (let at = 0; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
