import type { Timer } from '../timer.ts';

/**
 * Runs steps one by one while other work goes on. Each step yields how long to pause after it, in milliseconds. Returns a
 * function that stops it.
 */
export function inBackground(timer: Timer, steps: Iterator<number, void>, firstPauseMs: number): () => void {
  let cancel = (): void => {};
  const next = (): void => {
    const step = steps.next();
    if (step.done !== true) cancel = timer.after(step.value, next);
  };
  cancel = timer.after(firstPauseMs, next);
  return () => cancel();
}
