interface Waiter {
  readonly admit: () => void;
}

/** A bounded number of places and a bounded queue before them, first come, first served. */
export class Slots {
  readonly #queueMax: number;
  readonly #onFull: () => Error;
  #free: number;
  #queue: Waiter[] = [];

  /** `onFull` makes the error for one that finds the queue full. */
  constructor(count: number, queueMax: number, onFull: () => Error) {
    this.#free = count;
    this.#queueMax = queueMax;
    this.#onFull = onFull;
  }

  /** Runs `work` in a place of its own. @throws the signal's reason when it aborts in the queue. */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#free++;
      else next.admit();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    if (this.#queue.length >= this.#queueMax) throw this.#onFull();
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#queue = this.#queue.filter((other) => other !== waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#queue.push(waiter);
    });
  }
}
