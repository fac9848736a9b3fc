import type { Timer } from '../timer.ts';
import type { Turns } from './turns.ts';

/** When to look again whether the long work of others has ended. */
const busyPauseMs = 5;

/** Where steps run in the background: when, and beside which long work. */
export interface Background {
  readonly timer: Timer;
  readonly turns: Pick<Turns, 'isBusy' | 'endMs'>;
}

/**
 * Runs steps one by one, each while no long work has its turn: code that runs for the first time takes long, and several
 * such steps in one turn of the event loop would hold up every call. Each step yields how long to pause after it, in
 * milliseconds. Returns a function that stops it.
 */
export function inBackground(
  { timer, turns }: Background,
  steps: Iterator<number, void>,
  firstPauseMs: number,
): () => void {
  let cancel = (): void => {};
  const next = (): void => {
    if (turns.isBusy) {
      cancel = timer.after(busyPauseMs, next);
      return;
    }
    // The step counts among the work of this turn.
    turns.endMs();
    const step = steps.next();
    if (step.done !== true) cancel = timer.after(step.value, next);
  };
  cancel = timer.after(firstPauseMs, next);
  return () => cancel();
}
