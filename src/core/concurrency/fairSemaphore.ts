/**
 * Lets so many tasks run at one time. Others wait: those of one owner in the order in which they came, and owners by
 * turns, so that nobody waits behind all that another one has sent.
 */
export class FairSemaphore {
  readonly #waitingMax: number;
  #free: number;
  /** By owner, the one whose turn it is first. None is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** @param waitingMax how many tasks of one owner may wait */
  constructor(places: number, waitingMax = Number.POSITIVE_INFINITY) {
    this.#free = places;
    this.#waitingMax = waitingMax;
  }

  /** Whether a task of the owner would find no room to wait. */
  isFull(owner: string): boolean {
    return this.#free === 0 && (this.#waiting.get(owner)?.length ?? 0) >= this.#waitingMax;
  }

  async run<T>(owner: string, task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#wait(owner, resolve));
    try {
      return await task();
    } finally {
      const next = this.#next();
      // The place goes from one to the next without being free in between, so that nobody comes ahead.
      if (next === undefined) this.#free++;
      else next();
    }
  }

  #wait(owner: string, begin: () => void): void {
    const own = this.#waiting.get(owner);
    if (own === undefined) this.#waiting.set(owner, [begin]);
    else own.push(begin);
  }

  #next(): (() => void) | undefined {
    for (const [owner, own] of this.#waiting) {
      const next = own.shift();
      this.#waiting.delete(owner);
      if (own.length > 0) this.#waiting.set(owner, own);
      return next;
    }
    return undefined;
  }
}
