import type { Turns } from '../core/concurrency/turns.ts';

/** Milliseconds for which requests are started in one round of the event loop. */
const turnMs = 5;
/** Most requests started in one round; far more than fit into its time. */
const perRoundMax = 64;

interface Waiting {
  readonly request: object;
  readonly begin: () => void;
  readonly sinceMs: number;
}

/**
 * Starts requests by turns between callers, those of a caller in the order of arrival, and only some in each round of the
 * event loop. Node accepts one new connection per round, so without this a caller who connects after a hundred others
 * would wait until each of them had been answered some fifty times.
 */
export class RequestTurns<Request extends object> {
  readonly #turns: Pick<Turns, 'nowMs' | 'endMs'>;
  readonly #callerOf: (request: Request) => string;
  /** By caller, in the order of their turns. No list is empty. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #waitedMs = new WeakMap<object, number>();
  #waitingCount = 0;
  /** End of the time for starting requests in this round; null before the first one. */
  #dueMs: number | null = null;
  #planned = 0;

  /** `callerOf` tells whose turn a request takes. */
  constructor(turns: Pick<Turns, 'nowMs' | 'endMs'>, callerOf: (request: Request) => string) {
    this.#turns = turns;
    this.#callerOf = callerOf;
  }

  /** Starts the request at once if there is time left in this round and none waits. */
  take(request: Request, begin: () => void): void {
    if (this.#planned === 0) this.#plan(1);
    if (this.#waitingCount === 0 && this.#hasTime()) {
      begin();
      return;
    }
    const waiting = { request, begin, sinceMs: this.#turns.nowMs() };
    const caller = this.#callerOf(request);
    const own = this.#waiting.get(caller);
    if (own === undefined) this.#waiting.set(caller, [waiting]);
    else own.push(waiting);
    this.#waitingCount++;
  }

  /** Milliseconds for which a request waited for its turn. */
  waitedMs(request: Request): number {
    return this.#waitedMs.get(request) ?? 0;
  }

  /** Begins the first request of the caller whose turn it is; the next turn of that caller is the last one. */
  #beginNext(): void {
    for (const [caller, own] of this.#waiting) {
      const first = own.shift();
      this.#waiting.delete(caller);
      if (own.length > 0) this.#waiting.set(caller, own);
      this.#waitingCount--;
      if (first === undefined) return;
      this.#waitedMs.set(first.request, this.#turns.nowMs() - first.sinceMs);
      first.begin();
      return;
    }
  }

  #hasTime(): boolean {
    const nowMs = this.#turns.nowMs();
    // Starting requests counts among the work of this turn.
    this.#turns.endMs();
    this.#dueMs ??= nowMs + turnMs;
    return nowMs < this.#dueMs;
  }

  /** Each request has its own callback, so that the work it starts counts before the next one. */
  #plan(count: number): void {
    this.#dueMs = null;
    this.#planned = count;
    for (let i = 0; i < count; i++) setImmediate(() => this.#beginOne());
  }

  #beginOne(): void {
    this.#planned--;
    try {
      if (this.#hasTime()) this.#beginNext();
    } finally {
      if (this.#planned === 0 && this.#waitingCount > 0) this.#plan(Math.min(this.#waitingCount, perRoundMax));
    }
  }
}
