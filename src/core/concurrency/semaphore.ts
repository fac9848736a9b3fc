interface Waiter {
  readonly admit: () => void;
}

/** A bounded number of places and a bounded queue before them: a free place goes round the tenants that wait, to the first of each. */
export class Semaphore {
  readonly #queueMax: number;
  readonly #onFull: () => Error;
  #free: number;
  /** In the order in which the tenants are served next; none has an empty list. */
  readonly #queues = new Map<string, Waiter[]>();
  #waiting = 0;

  /** `onFull` makes the error for one that finds the queue full. */
  constructor(count: number, queueMax: number, onFull: () => Error) {
    this.#free = count;
    this.#queueMax = queueMax;
    this.#onFull = onFull;
  }

  /** Runs `work` in a place of its own. @throws the signal's reason when it aborts in the queue. */
  async use<T>(signal: AbortSignal, work: () => Promise<T>, tenant = ''): Promise<T> {
    await this.#enter(signal, tenant);
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next === undefined) this.#free++;
      else next.admit();
    }
  }

  async #enter(signal: AbortSignal, tenant: string): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    if (this.#waiting >= this.#queueMax) throw this.#onFull();
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        const rest = (this.#queues.get(tenant) ?? []).filter((other) => other !== waiter);
        if (rest.length === 0) this.#queues.delete(tenant);
        else this.#queues.set(tenant, rest);
        this.#waiting--;
        reject(signal.reason);
      };
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      const own = this.#queues.get(tenant);
      if (own === undefined) this.#queues.set(tenant, [waiter]);
      else own.push(waiter);
      this.#waiting++;
    });
  }

  #next(): Waiter | undefined {
    const [first] = this.#queues;
    if (first === undefined) return undefined;
    const [tenant, [next, ...rest]] = first;
    this.#queues.delete(tenant);
    if (rest.length > 0) this.#queues.set(tenant, rest);
    this.#waiting--;
    return next;
  }
}
