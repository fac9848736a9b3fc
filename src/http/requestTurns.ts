/** How long requests are begun one after another before the event loop goes round. */
const turnMs = 5;
/** What is begun in one round at most: many more than can be in its time. */
const perRoundMax = 64;

/**
 * Begins requests in the order in which they came, and only so many in one round of the event loop: Node takes one new
 * connection in a round, so that a caller who connects behind a hundred others would wait for them to be answered
 * some fifty times each.
 */
export class RequestTurns {
  readonly #nowMs: () => number;
  readonly #waiting: (() => void)[] = [];
  /** Until when requests are begun in this round; null where none was yet. */
  #dueMs: number | null = null;
  #planned = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Begins the request at once where there is time left in this round and none waits. */
  take(begin: () => void): void {
    if (this.#planned === 0) this.#plan(1);
    if (this.#waiting.length === 0 && this.#hasTime()) begin();
    else this.#waiting.push(begin);
  }

  #hasTime(): boolean {
    const nowMs = this.#nowMs();
    this.#dueMs ??= nowMs + turnMs;
    return nowMs < this.#dueMs;
  }

  /** Each by itself, so that what one does after it was begun counts before the next one. */
  #plan(count: number): void {
    this.#dueMs = null;
    this.#planned = count;
    for (let i = 0; i < count; i++) setImmediate(() => this.#beginOne());
  }

  #beginOne(): void {
    this.#planned--;
    try {
      if (this.#hasTime()) this.#waiting.shift()?.();
    } finally {
      if (this.#planned === 0 && this.#waiting.length > 0) this.#plan(Math.min(this.#waiting.length, perRoundMax));
    }
  }
}
