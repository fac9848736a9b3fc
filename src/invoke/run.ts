import type { Timer } from '../core/timer.ts';
import type { Explanation, QueryEngine, QueryResult, RunRequest } from '../engines/ports/queryEngine.ts';
import { startDeadline } from './deadline.ts';
import type { QueryQueue } from './queryQueue.ts';
import type { StageTimes } from './stageTimes.ts';

export interface RunServices {
  readonly engine: QueryEngine;
  readonly queue: QueryQueue;
  readonly timer: Timer;
}

export interface RunInput {
  readonly tokenId: string;
  /** Made when a place is free, so that `now` is the time of the run and not of its wait. */
  request(): RunRequest;
  readonly timeoutMs: number;
  readonly callerSignal: AbortSignal;
  readonly times: StageTimes;
}

/** Waits for a place, then runs under the deadline. Rejects with `query.overloaded`, `query.timeout`, `query.cancelled` or the engine's error. */
export function runQuery(input: RunInput, services: RunServices): Promise<QueryResult> {
  return inPlace(input, services, (signal) => services.engine.run(input.request(), signal));
}

/** As `runQuery`, of a query that is explained and not run. */
export function explainQuery(input: RunInput, services: RunServices): Promise<Explanation> {
  return inPlace(input, services, (signal) => services.engine.explain(input.request(), signal));
}

async function inPlace<T>(
  input: Omit<RunInput, 'request'>,
  services: RunServices,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { callerSignal, times } = input;
  const release = await times.timeAsync('queue', () => services.queue.acquire(input.tokenId, callerSignal));
  return times.timeAsync('run', () => {
    const deadline = startDeadline(callerSignal, input.timeoutMs, services.timer);
    const running = start(work, deadline.signal).finally(() => {
      // The place is taken until the engine has really stopped, even where the caller was answered before.
      deadline.dispose();
      release();
    });
    return endedBy(deadline.signal, running);
  });
}

async function start<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return work(signal);
}

/** The run's result, or the signal's reason as soon as it is aborted: the engine may take two seconds to stop. */
function endedBy<T>(signal: AbortSignal, running: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    running
      .then(resolve, (error: unknown) => reject(signal.aborted ? signal.reason : error))
      .finally(() => {
        signal.removeEventListener('abort', onAbort);
      });
  });
}
