import { ServiceError } from '../core/errors.ts';
import type { Timer } from '../core/timer.ts';
import type { RunTime } from '../engines/ports/queryEngine.ts';

export interface Deadline extends RunTime {
  /** Aborted with a ServiceError as its reason: the caller's own reason, or `query.timeout`. */
  readonly signal: AbortSignal;
  /** Must be called when the work is over. */
  dispose(): void;
}

/** Joins the caller's signal and a time limit into the one signal that reaches the engine (architecture: one AbortSignal per request). */
export function startDeadline(callerSignal: AbortSignal, limitMs: number, timer: Timer): Deadline {
  const controller = new AbortController();
  const onCallerAbort = () => controller.abort(callerSignal.reason);
  if (callerSignal.aborted) onCallerAbort();
  callerSignal.addEventListener('abort', onCallerAbort, { once: true });
  const begin = () =>
    timer.after(limitMs, () =>
      controller.abort(
        new ServiceError(
          'query.timeout',
          `The query ran longer than the ${limitMs} ms that are allowed. Narrow its time range or make it read less.`,
        ),
      ),
    );
  let cancelTimer = begin();
  return {
    signal: controller.signal,
    pause: () => cancelTimer(),
    restart() {
      cancelTimer();
      cancelTimer = begin();
    },
    dispose() {
      cancelTimer();
      callerSignal.removeEventListener('abort', onCallerAbort);
    },
  };
}
