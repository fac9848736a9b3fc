import type { QueryEngine, QueryResult, RunRequest } from '../engines/ports/queryEngine.ts';
import { startDeadline } from './deadline.ts';
import type { QueryQueue } from './queryQueue.ts';
import type { StageTimes } from './stageTimes.ts';
import type { Timer } from './timer.ts';

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
export async function runQuery(input: RunInput, services: RunServices): Promise<QueryResult> {
  const { callerSignal, times } = input;
  const release = await times.timeAsync('queue', () => services.queue.acquire(input.tokenId, callerSignal));
  return times.timeAsync('run', () => {
    const deadline = startDeadline(callerSignal, input.timeoutMs, services.timer);
    const running = startRun(input, services, deadline.signal).finally(() => {
      // The place is taken until the engine has really stopped, even where the caller was answered before.
      deadline.dispose();
      release();
    });
    return endedBy(deadline.signal, running);
  });
}

async function startRun(input: RunInput, services: RunServices, signal: AbortSignal): Promise<QueryResult> {
  signal.throwIfAborted();
  return services.engine.run(input.request(), signal);
}

/** The run's result, or the signal's reason as soon as it is aborted: the engine may take two seconds to stop. */
function endedBy(signal: AbortSignal, running: Promise<QueryResult>): Promise<QueryResult> {
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
