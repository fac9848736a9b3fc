/** Limits of the returned seconds. */
const secondsMin = 1;
const secondsMax = 60;

/** Number of recent completions whose times are kept. */
const remembered = 32;

/** Measures how fast a queue moves, to estimate `Retry-After` for callers that find it full. */
export class QueuePace {
  readonly #nowMs: () => number;
  readonly #waitMsMax: number;
  /** Times of the last completions, oldest first. */
  readonly #left: number[] = [];

  constructor(nowMs: () => number, waitMsMax: number) {
    this.#nowMs = nowMs;
    this.#waitMsMax = waitMsMax;
  }

  /** Records that a place became free. */
  left(): void {
    this.#left.push(this.#nowMs());
    if (this.#left.length > remembered) this.#left.shift();
  }

  /**
   * Whole seconds until the waiting queries will have started, at the recent pace. If the caller waited in vain or nothing
   * is known yet, at least half of the longest wait.
   */
  secondsFor(waiting: number, waitedInVain = false): number {
    const [first] = this.#left;
    const sinceFirstMs = first === undefined ? 0 : this.#nowMs() - first;
    const eachMs = this.#left.length === 0 ? 0 : sinceFirstMs / this.#left.length;
    const ms = Math.max(eachMs * waiting, waitedInVain || eachMs === 0 ? this.#waitMsMax / 2 : 0);
    return Math.min(secondsMax, Math.max(secondsMin, Math.ceil(ms / 1000)));
  }
}
