import type { Timer } from '../core/timer.ts';

/** Between two ticks, milliseconds. */
const everyMs = 20;

/**
 * Tells of each tick how late it came, in seconds: as long as it did, a request that came meanwhile waited for the main
 * thread. Gives the way to stop it.
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
