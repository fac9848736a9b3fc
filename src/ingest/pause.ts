import { setImmediate } from 'node:timers/promises';

/** Characters or bytes of events that are worked on before others get a turn: a few milliseconds. */
const workPerTurn = 512 * 1024;

/** Lets other requests have a turn while a large batch is worked on. */
export class Pause {
  #work = 0;

  /** Whether enough has been done since the last turn, `work` included. */
  isDue(work: number): boolean {
    this.#work += work;
    if (this.#work < workPerTurn) return false;
    this.#work = 0;
    return true;
  }

  /** Resolves after a turn of the event loop. */
  take(): Promise<void> {
    return setImmediate();
  }
}
