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
  let dueMs = timer.nowMs() + limitMs;
  const begin = () =>
    timer.after(dueMs - timer.nowMs(), () =>
      controller.abort(
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
    signal: controller.signal,
    pause() {
      cancelTimer();
      leftMs ??= dueMs - timer.nowMs();
    },
    resume() {
      if (leftMs !== null) goOn(leftMs);
    },
    restart: () => goOn(limitMs),
    dispose() {
      cancelTimer();
      callerSignal.removeEventListener('abort', onCallerAbort);
    },
  };
}
