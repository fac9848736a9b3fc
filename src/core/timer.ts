/** Runs an action later. It is passed in, so that tests of deadlines need not wait. */
export interface Timer {
  /** Calls `action` once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, action: () => void): () => void;
  /** Milliseconds since a fixed time; never goes back. */
  nowMs(): number;
}

/** The machine's timer. A pending action does not keep the process alive. */
export const systemTimer: Timer = {
  after(delayMs, action) {
    const handle = setTimeout(action, delayMs);
    handle.unref();
    return () => clearTimeout(handle);
  },
  nowMs: () => performance.now(),
};

/** A timer that changes only if it is moved. For tests. */
export class ManualTimer implements Timer {
  #nowMs = 0;
  readonly #pending = new Set<{ readonly dueMs: number; readonly action: () => void }>();

  after(delayMs: number, action: () => void): () => void {
    const entry = { dueMs: this.#nowMs + delayMs, action };
    this.#pending.add(entry);
    return () => this.#pending.delete(entry);
  }

  nowMs(): number {
    return this.#nowMs;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  advanceMs(ms: number): void {
    this.#nowMs += ms;
    const due = [...this.#pending].filter((entry) => entry.dueMs <= this.#nowMs).sort((a, b) => a.dueMs - b.dueMs);
    for (const entry of due) {
      if (this.#pending.delete(entry)) entry.action();
    }
  }
}
