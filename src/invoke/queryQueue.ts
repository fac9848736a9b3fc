import { ServiceError } from '../core/errors.ts';
import type { Timer } from '../core/timer.ts';

export interface QueryQueueSettings {
  /** Queries that run at once; at least 1. */
  readonly concurrency: number;
  /** Queries that may wait, of all tokens together. */
  readonly waitingMax: number;
  /** How long one may wait. */
  readonly waitMsMax: number;
}

/** Gives the place back. Calling it again does nothing. */
export type Release = () => void;

interface Waiter {
  admit(): void;
  refuse(error: unknown): void;
}

/**
 * Bounds how many queries run at once and shares the places fairly between tokens: free places go
 * round the tokens that wait, one each, in order of arrival within a token. Where the queue is full,
 * the token that waits with the most gives way, so that one busy token never shuts the others out
 * (contract, section 7: "a queue with a deadline, fair between tokens").
 */
export class QueryQueue {
  readonly #settings: QueryQueueSettings;
  readonly #timer: Timer;
  /** In the order in which the tokens are served next. No token has an empty list. */
  readonly #waiting = new Map<string, Waiter[]>();
  #waitingCount = 0;
  #runningCount = 0;

  constructor(settings: QueryQueueSettings, timer: Timer) {
    this.#settings = settings;
    this.#timer = timer;
  }

  get runningCount(): number {
    return this.#runningCount;
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /**
   * Resolves with the way to give the place back. Rejects with `query.overloaded` when the queue is
   * full or the wait too long, and with the signal's reason when it is aborted while waiting.
   */
  acquire(tokenId: string, signal: AbortSignal): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#runningCount < this.#settings.concurrency && this.#waitingCount === 0) {
      this.#runningCount++;
      return Promise.resolve(this.#release());
    }
    if (this.#waitingCount >= this.#settings.waitingMax && !this.#makeRoomFor(tokenId)) {
      return Promise.reject(this.#overloaded('The queue of waiting queries is full.'));
    }
    return this.#wait(tokenId, signal);
  }

  #wait(tokenId: string, signal: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        admit: () => {
          settle();
          resolve(this.#release());
        },
        refuse: (error) => {
          settle();
          reject(error);
        },
      };
      const leave = (error: unknown) => {
        this.#remove(tokenId, waiter);
        waiter.refuse(error);
      };
      const onAbort = () => leave(signal.reason);
      const cancelTimer = this.#timer.after(this.#settings.waitMsMax, () =>
        leave(this.#overloaded(`No place became free within ${this.#settings.waitMsMax} ms.`)),
      );
      signal.addEventListener('abort', onAbort, { once: true });
      const own = this.#waiting.get(tokenId);
      if (own === undefined) this.#waiting.set(tokenId, [waiter]);
      else own.push(waiter);
      this.#waitingCount++;
    });
  }

  #release(): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#runningCount--;
      this.#admitNext();
    };
  }

  #admitNext(): void {
    if (this.#runningCount >= this.#settings.concurrency) return;
    for (const [tokenId, own] of this.#waiting) {
      const next = own.shift();
      // Behind the others, so that the next place goes to another token.
      this.#waiting.delete(tokenId);
      if (own.length > 0) this.#waiting.set(tokenId, own);
      if (next === undefined) continue;
      this.#waitingCount--;
      this.#runningCount++;
      next.admit();
      return;
    }
  }

  /** Refuses the newest query of the token that waits with the most, if that is fairer than refusing this one. */
  #makeRoomFor(tokenId: string): boolean {
    let busiest: [string, Waiter[]] | undefined;
    for (const entry of this.#waiting) {
      if (busiest === undefined || entry[1].length > busiest[1].length) busiest = entry;
    }
    const ownCount = this.#waiting.get(tokenId)?.length ?? 0;
    if (busiest === undefined || busiest[1].length <= ownCount + 1) return false;
    const newest = busiest[1].at(-1);
    if (newest === undefined) return false;
    this.#remove(busiest[0], newest);
    newest.refuse(this.#overloaded('The queue of waiting queries is full, and this token waits with the most.'));
    return true;
  }

  #remove(tokenId: string, waiter: Waiter): void {
    const own = this.#waiting.get(tokenId);
    const at = own?.indexOf(waiter) ?? -1;
    if (own === undefined || at < 0) return;
    own.splice(at, 1);
    if (own.length === 0) this.#waiting.delete(tokenId);
    this.#waitingCount--;
  }

  #overloaded(why: string): ServiceError {
    return new ServiceError('query.overloaded', `${why} Send the call again after the time in Retry-After.`, {
      retryAfterSeconds: Math.max(1, Math.ceil(this.#settings.waitMsMax / 2000)),
    });
  }
}
