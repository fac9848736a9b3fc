import { untilAborted } from '../core/concurrency/untilAborted.ts';
import type { Timer } from '../core/timer.ts';
import { startDeadline } from './deadline.ts';

/** How long a call waits. */
export interface CallLimit {
  /** How long its query may run, milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal;
}

/** How much of its time limit a call has used, so that all that it waits for is within the limit. */
export interface UsedTime {
  /** Milliseconds. */
  ms: number;
}

/**
 * The result of work before or after a run, for example of the store. Rejects with `query.timeout` if it takes longer than
 * the query may run, with the reason of the signal if the caller leaves, and like the work. `used` grows by the time of the work.
 */
export async function withinLimit<T>(
  work: Promise<T>,
  { timeoutMs, signal }: CallLimit,
  timer: Timer,
  used: UsedTime = { ms: 0 },
): Promise<T> {
  const late = new AbortController();
  const deadline = startDeadline((reason) => late.abort(reason), timeoutMs, timer, used.ms);
  try {
    return await untilAborted(work, AbortSignal.any([signal, late.signal]));
  } finally {
    deadline.dispose();
    used.ms = deadline.usedMs();
  }
}
