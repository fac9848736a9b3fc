import type { Timer } from '../../../core/timer.ts';
import { memoryAttemptsMax } from '../files/fileChanges.ts';

/** Part of the longest pause that passes before any attempt, so that many short calls do not cause an attempt each. */
const leastShare = 1 / 8;

/** Waits of work that runs out of memory because other calls hold it. Together they take at most fifty pauses. */
export class MemoryWait {
  readonly #pauseMs: number;
  readonly #signal: AbortSignal;
  readonly #timer: Timer;
  #leftMs: number;

  /** `pauseMs`: the longest time between two attempts. */
  constructor(pauseMs: number, signal: AbortSignal, timer: Timer) {
    this.#pauseMs = pauseMs;
    this.#signal = signal;
    this.#timer = timer;
    this.#leftMs = pauseMs * (memoryAttemptsMax - 1);
  }

  /** Whether there is time for another attempt. */
  get isLeft(): boolean {
    return this.#leftMs > 0;
  }

  /** Waits until one of the calls has ended, which may have freed memory. @throws the signal's reason if it aborts first */
  async untilOneEnds(ends: readonly Promise<void>[]): Promise<void> {
    const leastMs = this.#pauseMs * leastShare;
    const startedMs = this.#timer.nowMs();
    try {
      await this.#within(leastMs, []);
      await this.#within(this.#pauseMs - leastMs, ends);
    } finally {
      this.#leftMs -= Math.max(leastMs, this.#timer.nowMs() - startedMs);
    }
  }

  /** Waits until one has ended, or the time is over. */
  async #within(ms: number, ends: readonly Promise<void>[]): Promise<void> {
    this.#signal.throwIfAborted();
    let cancel = () => {};
    let onAbort = () => {};
    const over = new Promise<void>((resolve, reject) => {
      cancel = this.#timer.after(ms, resolve);
      onAbort = () => reject(this.#signal.reason);
      this.#signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      await Promise.race([over, ...ends]);
    } finally {
      cancel();
      this.#signal.removeEventListener('abort', onAbort);
    }
  }
}
