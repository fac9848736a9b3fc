/** Longer names are not compared. */
const charsMax = 128;

/**
 * Most steps of one search, some nanoseconds each: enough for ten thousand names of usual length. A search that reaches
 * the limit suggests the best name found so far.
 */
const stepsMax = 4_000_000;

/**
 * Finds the allowed name that is most similar to `name`, for "Did you mean". Undefined if none is close enough: the edit
 * distance may be a third of the longer word, or 1. The work is bounded, however many names there are.
 */
export function nearestName(name: string, allowed: Iterable<string>): string | undefined {
  if (name.length > charsMax) return undefined;
  const wanted = name.toLowerCase();
  const comparison = new Comparison(wanted);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of allowed) {
    const longer = Math.max(wanted.length, candidate.length);
    const limit = Math.min(Math.max(1, Math.floor(longer / 3)), bestDistance - 1);
    const distance = comparison.distanceTo(candidate, limit);
    if (distance <= limit) {
      best = candidate;
      bestDistance = distance;
    }
    if (bestDistance === 0 || comparison.steps > stepsMax) break;
  }
  return best;
}

/** Characters are counted modulo this number. So an estimated distance can be too small, never too large. */
const kinds = 128;

/** Computes Damerau-Levenshtein distances of words to one word (a swap of neighbours counts one). */
class Comparison {
  readonly #word: string;
  /** The word's characters of each kind. */
  readonly #counts = new Int32Array(kinds);
  /** Rows of the table: the one before the last, the last, and the current one. */
  #beforeLast = new Int32Array(charsMax + 2);
  #last = new Int32Array(charsMax + 2);
  #row = new Int32Array(charsMax + 2);
  /** Steps so far. */
  steps = 0;

  constructor(word: string) {
    this.#word = word;
    for (let i = 0; i < word.length; i++) this.#count(word.charCodeAt(i), 1);
  }

  /** The distance if it is at most `limit`; otherwise any larger number. */
  distanceTo(other: string, limit: number): number {
    this.steps += 4;
    const beyond = limit + 1;
    if (limit < 0 || other.length > charsMax || Math.abs(other.length - this.#word.length) > limit) return beyond;
    const word = other.toLowerCase();
    if (word.length > charsMax || this.#leastDistanceTo(word) > limit) return beyond;
    return this.#within(word, limit);
  }

  /** A lower bound of the distance, from the counts of characters: each change adds, removes or replaces one. */
  #leastDistanceTo(other: string): number {
    this.steps += 2 * other.length;
    let missing = 0;
    for (let i = 0; i < other.length; i++) if (this.#count(other.charCodeAt(i), -1) < 0) missing++;
    for (let i = 0; i < other.length; i++) this.#count(other.charCodeAt(i), 1);
    return Math.max(missing, missing + this.#word.length - other.length);
  }

  #count(code: number, by: number): number {
    const kind = code % kinds;
    const count = (this.#counts[kind] ?? 0) + by;
    this.#counts[kind] = count;
    return count;
  }

  /** Computes only the part of the table that a distance of at most `limit` can use. */
  #within(b: string, limit: number): number {
    const a = this.#word;
    const beyond = limit + 1;
    for (let j = 0; j <= b.length; j++) this.#last[j] = Math.min(j, beyond);
    for (let i = 1; i <= a.length; i++) {
      const from = Math.max(1, i - limit);
      const to = Math.min(b.length, i + limit);
      this.steps += to - from + 2;
      const row = this.#row;
      row[from - 1] = from === 1 ? Math.min(i, beyond) : beyond;
      let least = row[from - 1] ?? beyond;
      for (let j = from; j <= to; j++) {
        const substitution = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
        // The last row ends one cell before this one.
        const above = j === i + limit ? beyond : (this.#last[j] ?? beyond);
        let cost = Math.min(
          (row[j - 1] ?? beyond) + 1,
          above + 1,
          (this.#last[j - 1] ?? beyond) + substitution,
          beyond,
        );
        const isSwapped =
          i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
        if (isSwapped) cost = Math.min(cost, (this.#beforeLast[j - 2] ?? beyond) + 1);
        row[j] = cost;
        if (cost < least) least = cost;
      }
      [this.#beforeLast, this.#last, this.#row] = [this.#last, row, this.#beforeLast];
      if (least > limit) return beyond;
    }
    return this.#last[b.length] ?? beyond;
  }
}
