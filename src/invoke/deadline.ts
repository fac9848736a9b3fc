import { ServiceError } from '../core/errors.ts';
import type { Timer } from '../core/timer.ts';
import type { RunTime } from '../ports/queryEngine.ts';

export interface Deadline extends RunTime {
  /** Must be called when the work is over. */
  dispose(): void;
}

/** Has a query aborted with `query.timeout` when it has run for as long as it may. */
export function startDeadline(abort: (reason: ServiceError) => void, limitMs: number, timer: Timer): Deadline {
  let dueMs = timer.nowMs() + limitMs;
  const begin = () =>
    timer.after(dueMs - timer.nowMs(), () =>
      abort(
        new ServiceError(
          'query.timeout',
          `The query ran longer than the ${limitMs} ms that are allowed. Narrow its time range or make it read less.`,
        ),
      ),
    );
  let cancelTimer = begin();
  /** Of a run that is paused. */
  let leftMs: number | null = null;
  const goOn = (withMs: number) => {
    cancelTimer();
    leftMs = null;
    dueMs = timer.nowMs() + withMs;
    cancelTimer = begin();
  };
  return {
    pause() {
      cancelTimer();
      leftMs ??= dueMs - timer.nowMs();
    },
    resume() {
      if (leftMs !== null) goOn(leftMs);
    },
    restart: () => goOn(limitMs),
    dispose: () => cancelTimer(),
  };
}
