/** Ranges of numbers in use, taken in ascending order and ended in any order. */
export class HeldNumbers {
  /** First numbers, in ascending order. */
  readonly #held = new Set<number>();

  /** `first` is greater than all before. Returns what ends the range; further calls do nothing. */
  hold(first: number): () => void {
    this.#held.add(first);
    return () => {
      this.#held.delete(first);
    };
  }

  /** The first number of the lowest range; undefined without any. */
  get lowest(): number | undefined {
    const [lowest] = this.#held;
    return lowest;
  }
}
