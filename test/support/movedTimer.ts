import { systemTimer, type Timer } from '../../src/core/timer.ts';

/**
 * The machine's timer, which a test can move ahead. So a test can set limits far above what any work takes, and still see what
 * happens when they are reached.
 */
export class MovedTimer implements Timer {
  #aheadMs = 0;
  readonly #pending = new Set<{ readonly dueMs: number; readonly act: () => void }>();

  after(delayMs: number, action: () => void): () => void {
    const cancel = systemTimer.after(delayMs, () => entry.act());
    const stop = () => {
      cancel();
      this.#pending.delete(entry);
    };
    const act = () => {
      stop();
      action();
    };
    const entry = { dueMs: this.nowMs() + delayMs, act };
    this.#pending.add(entry);
    return stop;
  }

  nowMs(): number {
    return systemTimer.nowMs() + this.#aheadMs;
  }

  advanceMs(ms: number): void {
    this.#aheadMs += ms;
    const nowMs = this.nowMs();
    const due = [...this.#pending].filter(({ dueMs }) => dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs);
    // An action can stop others.
    for (const entry of due) if (this.#pending.has(entry)) entry.act();
  }
}
