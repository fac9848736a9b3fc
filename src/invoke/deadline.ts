import { ServiceError } from '../core/errors.ts';
import type { Timer } from '../core/timer.ts';
import type { RunTime } from '../ports/queryEngine.ts';

export interface Deadline extends RunTime {
  /** How long the run was paused until now, milliseconds. */
  waitedMs(): number;
  /** How much of the limit was used until now, milliseconds. */
  usedMs(): number;
  /** Call this when the work is over. */
  dispose(): void;
}

/** Aborts a query with `query.timeout` when it has run for its time limit, of which its call may have used some before. */
export function startDeadline(
  abort: (reason: ServiceError) => void,
  limitMs: number,
  timer: Timer,
  usedBeforeMs = 0,
): Deadline {
  let dueMs = timer.nowMs() + limitMs - usedBeforeMs;
  const begin = () =>
    timer.after(Math.max(0, dueMs - timer.nowMs()), () =>
      abort(
        new ServiceError(
          'query.timeout',
          `The query ran longer than the limit of ${limitMs} ms. Narrow its time range, or make it read less data.`,
        ),
      ),
    );
  let cancelTimer = begin();
  /** Remaining time while the run is paused. */
  let leftMs: number | null = null;
  let pausedAtMs = 0;
  let waitedMs = 0;
  const waitingMs = () => (leftMs === null ? 0 : timer.nowMs() - pausedAtMs);
  const goOn = (withMs: number) => {
    cancelTimer();
    waitedMs += waitingMs();
    leftMs = null;
    dueMs = timer.nowMs() + withMs;
    cancelTimer = begin();
  };
  return {
    pause() {
      cancelTimer();
      if (leftMs !== null) return;
      pausedAtMs = timer.nowMs();
      leftMs = dueMs - pausedAtMs;
    },
    resume() {
      if (leftMs !== null) goOn(leftMs);
    },
    restart: () => goOn(limitMs),
    waitedMs: () => waitedMs + waitingMs(),
    usedMs: () => limitMs - (leftMs ?? dueMs - timer.nowMs()),
    dispose: () => cancelTimer(),
  };
}
