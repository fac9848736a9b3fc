import type { Timer } from '../timer.ts';

export interface TimeLimit {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** Call this when the work is over. */
  end(): void;
}

/** Like `AbortSignal.timeout`, by a timer. */
export function timeLimit(timer: Timer, ms: number): TimeLimit {
  const limit = new AbortController();
  const end = timer.after(ms, () => limit.abort(new Error(`it took longer than ${ms} ms`)));
  return { signal: limit.signal, end };
}
