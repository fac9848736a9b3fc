import type { Timer } from '../core/timer.ts';

/** Milliseconds between two ticks. */
const everyMs = 20;

/**
 * Measures how long the main thread is blocked: reports for each tick how late it came, in seconds. A request that arrived
 * meanwhile waited just as long. Returns a function that stops it.
 */
export function watchDelay(timer: Timer, late: (seconds: number) => void): () => void {
  let dueMs = timer.nowMs() + everyMs;
  const tick = (): void => {
    late(Math.max(0, timer.nowMs() - dueMs) / 1000);
    dueMs = timer.nowMs() + everyMs;
    cancel = timer.after(everyMs, tick);
  };
  let cancel = timer.after(everyMs, tick);
  return () => cancel();
}
