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

/** For whom a query runs. */
export interface TokenRunner {
  /** Its public id. */
  readonly id: string;
  /** Queries that run for it at the same time, at most; null for as many as there are places. */
  readonly concurrencyMax: number | null;
}

interface Waiter {
  readonly token: TokenRunner;
  admit(): void;
  refuse(error: unknown): void;
}

/**
 * Bounds how many queries run at once and shares the places fairly between tokens: free places go
 * round the tokens that wait, one each, in order of arrival within a token. Where the queue is full,
 * the token that waits with the most gives way, so that one busy token never shuts the others out
 * (contract, section 7: "a queue with a deadline, fair between tokens"). A quarter of the places is
 * only for tokens that hold none: else a few tokens whose queries are all long would hold every place
 * for the time of a run, and a light one would wait longer than it may. A token can have fewer places
 * than there are; its further queries wait.
 */
export class QueryQueue {
  readonly #settings: QueryQueueSettings;
  readonly #timer: Timer;
  /** In the order in which the tokens are served next. No token has an empty list. */
  readonly #waiting = new Map<string, Waiter[]>();
  #waitingCount = 0;
  #runningCount = 0;
  /** Places by token; none of 0. */
  readonly #held = new Map<string, number>();

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
  acquire(token: TokenRunner, signal: AbortSignal): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    // Whoever waits while places are free may not take one, so nobody is overtaken.
    if (this.#mayTake(token)) return Promise.resolve(this.#take(token.id));
    if (this.#waitingCount >= this.#settings.waitingMax && !this.#makeRoomFor(token.id)) {
      return Promise.reject(this.#overloaded('The queue of waiting queries is full.'));
    }
    return this.#wait(token, signal);
  }

  #wait(token: TokenRunner, signal: AbortSignal): Promise<Release> {
    const tokenId = token.id;
    return new Promise((resolve, reject) => {
      const settle = () => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        token,
        admit: () => {
          settle();
          resolve(this.#take(tokenId));
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
        leave(this.#overloaded(`No place became free within ${this.#settings.waitMsMax} ms${boundOf(token)}.`)),
      );
      signal.addEventListener('abort', onAbort, { once: true });
      const own = this.#waiting.get(tokenId);
      if (own === undefined) this.#waiting.set(tokenId, [waiter]);
      else own.push(waiter);
      this.#waitingCount++;
    });
  }

  #mayTake({ id, concurrencyMax }: TokenRunner): boolean {
    const { concurrency } = this.#settings;
    const heldCount = this.#held.get(id) ?? 0;
    if (concurrencyMax !== null && heldCount >= concurrencyMax) return false;
    const freeCount = concurrency - this.#runningCount;
    return freeCount > (heldCount > 0 ? Math.floor(concurrency / 4) : 0);
  }

  #take(tokenId: string): Release {
    this.#runningCount++;
    this.#held.set(tokenId, (this.#held.get(tokenId) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#runningCount--;
      const left = (this.#held.get(tokenId) ?? 1) - 1;
      if (left === 0) this.#held.delete(tokenId);
      else this.#held.set(tokenId, left);
      this.#admitWaiting();
    };
  }

  /** A place that was given back can let in two: one in its stead, and one of a token that holds none any more. */
  #admitWaiting(): void {
    for (;;) {
      const [tokenId, own] =
        [...this.#waiting].find(([, [first]]) => first !== undefined && this.#mayTake(first.token)) ?? [];
      if (tokenId === undefined || own === undefined) return;
      const next = own.shift();
      // Behind the others, so that the next place goes to another token.
      this.#waiting.delete(tokenId);
      if (own.length > 0) this.#waiting.set(tokenId, own);
      this.#waitingCount--;
      next?.admit();
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

function boundOf({ concurrencyMax }: TokenRunner): string {
  return concurrencyMax === null ? '' : `; this token may run ${concurrencyMax} at the same time`;
}
