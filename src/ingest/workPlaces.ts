/** Lets so many tasks run at one time. Others wait, in the order in which they came. */
export class WorkPlaces {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      // The place goes from one to the next without being free in between, so that nobody comes ahead.
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
