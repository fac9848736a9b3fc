/** Seconds after which it is worth asking again, at least and at most. */
const secondsMin = 1;
const secondsMax = 60;

/** Of so many places that were given back, the times are kept. */
const remembered = 32;

/** How fast a queue moves: what whoever finds no place is told to wait. */
export class QueuePace {
  readonly #nowMs: () => number;
  readonly #waitMsMax: number;
  /** When places were given back, oldest first. */
  readonly #left: number[] = [];

  constructor(nowMs: () => number, waitMsMax: number) {
    this.#nowMs = nowMs;
    this.#waitMsMax = waitMsMax;
  }

  /** Notes that a place was given back. */
  left(): void {
    this.#left.push(this.#nowMs());
    if (this.#left.length > remembered) this.#left.shift();
  }

  /** Whole seconds until those that wait will have had a place, as places were given back lately; half of the longest wait at least, where one waited in vain or nothing is known. */
  secondsFor(waiting: number, waitedInVain = false): number {
    const [first] = this.#left;
    const sinceFirstMs = first === undefined ? 0 : this.#nowMs() - first;
    const eachMs = this.#left.length === 0 ? 0 : sinceFirstMs / this.#left.length;
    const ms = Math.max(eachMs * waiting, waitedInVain || eachMs === 0 ? this.#waitMsMax / 2 : 0);
    return Math.min(secondsMax, Math.max(secondsMin, Math.ceil(ms / 1000)));
  }
}
