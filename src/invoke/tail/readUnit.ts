import { ReadSize } from './readSize.ts';

/** What is known of the reads of one statement: for a tail alone, or for several. */
export class ReadUnit {
  /** What the engine can read at once. */
  readonly size = new ReadSize();
  /** How long the last read took. */
  lastMs = 0;
  /** Resolves when the engine has stopped the read that was begun last; null if no read runs. */
  running: Promise<void> | null = null;

  /** Runs a read, which calls `stopped` once the engine has stopped. */
  async timed<T>(nowMs: () => number, run: (stopped: () => void) => Promise<T>): Promise<T> {
    let stopped = () => {};
    const running = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    this.running = running;
    void running.then(() => {
      if (this.running === running) this.running = null;
    });
    const sinceMs = nowMs();
    try {
      return await run(stopped);
    } finally {
      this.lastMs = nowMs() - sinceMs;
    }
  }
}
