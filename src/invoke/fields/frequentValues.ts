/** A value of a member that is no object, array or null. */
export type ScalarValue = string | number | bigint | boolean;

export interface FrequentValue {
  readonly value: ScalarValue;
  /** At most the weight that was added for the value; less if many distinct values were added. */
  readonly weight: number;
}

/** Values that are counted at one time. */
const countedMax = 32;

/** Longer texts are cut. */
const valueCharsMax = 100;

/** Finds the most frequent of any number of values, in bounded memory (Misra and Gries, 1982). */
export class FrequentValues {
  readonly #counted = new Map<string, { readonly value: ScalarValue; weight: number }>();

  add(value: ScalarValue, weight: number): void {
    const kept = typeof value === 'string' ? cut(value) : value;
    const key = `${typeof kept} ${kept}`;
    const known = this.#counted.get(key);
    if (known !== undefined) {
      known.weight += weight;
      return;
    }
    if (this.#counted.size < countedMax) {
      this.#counted.set(key, { value: kept, weight });
      return;
    }
    let least = weight;
    for (const counted of this.#counted.values()) least = Math.min(least, counted.weight);
    for (const [each, counted] of this.#counted) {
      counted.weight -= least;
      if (counted.weight <= 0) this.#counted.delete(each);
    }
    if (weight > least) this.#counted.set(key, { value: kept, weight: weight - least });
  }

  /** The values with the highest weights, highest first. */
  top(count: number): readonly FrequentValue[] {
    return [...this.#counted.values()].sort((a, b) => b.weight - a.weight).slice(0, count);
  }
}

/** At most `valueCharsMax` UTF-16 units, without half a surrogate pair at the end. */
function cut(text: string): string {
  if (text.length <= valueCharsMax) return text;
  return `${text.slice(0, valueCharsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
