import { changeCount } from '../changeCount.ts';

export interface AcquireOptions {
  /** The owner of the task. Tasks without one share an owner. */
  readonly owner?: string;
  /** A task that is still waiting when this is aborted leaves the queue. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a bounded number of tasks at a time. The others wait: tasks of one owner in order of arrival, and owners in
 * turn, so that nobody waits behind everything that another owner has sent.
 */
export class Semaphore {
  #free: number;
  readonly #ofOwnerMax: number;
  /** Places that each owner has; never 0. */
  readonly #held = new Map<string, number>();
  /** By owner, in the order of their turns. No list is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** An owner has at most `ofOwnerMax` places at a time, also while others are free. */
  constructor(places: number, ofOwnerMax = places) {
    this.#free = places;
    this.#ofOwnerMax = ofOwnerMax;
  }

  /** Whether a task would have to wait, and so many wait already: of this owner, or of all. */
  isFull(waitingMax: number, owner?: string): boolean {
    if (this.#free > 0) return false;
    const lists = owner === undefined ? [...this.#waiting.values()] : [this.#waiting.get(owner) ?? []];
    return lists.reduce((count, list) => count + list.length, 0) >= waitingMax;
  }

  /** @throws the signal's reason if it is aborted before the task begins; the task never runs then. */
  async run<T>(task: () => Promise<T>, options: AcquireOptions = {}): Promise<T> {
    const release = await this.acquire(options);
    try {
      return await task();
    } finally {
      release();
    }
  }

  /**
   * Waits for a place and resolves with its release, which must be called once.
   *
   * @throws the signal's reason if it is aborted while waiting.
   */
  async acquire({ owner = '', signal }: AcquireOptions = {}): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0 && this.#mayTake(owner)) this.#take(owner);
    else await this.#wait(owner, signal);
    return () => {
      changeCount(this.#held, owner, -1);
      this.#free++;
      // The place passes to the next task at once, so that nobody overtakes it.
      this.#next()?.();
    };
  }

  #mayTake(owner: string): boolean {
    return (this.#held.get(owner) ?? 0) < this.#ofOwnerMax;
  }

  #take(owner: string): void {
    this.#free--;
    changeCount(this.#held, owner, 1);
  }

  #wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        this.#take(owner);
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        const rest = (this.#waiting.get(owner) ?? []).filter((other) => other !== admit);
        if (rest.length === 0) this.#waiting.delete(owner);
        else this.#waiting.set(owner, rest);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const own = this.#waiting.get(owner);
      if (own === undefined) this.#waiting.set(owner, [admit]);
      else own.push(admit);
    });
  }

  #next(): (() => void) | undefined {
    for (const [owner, own] of this.#waiting) {
      if (!this.#mayTake(owner)) continue;
      const next = own.shift();
      this.#waiting.delete(owner);
      if (own.length > 0) this.#waiting.set(owner, own);
      return next;
    }
    return undefined;
  }
}
