import { untilAborted } from '../core/concurrency/untilAborted.ts';
import type { ServiceError } from '../core/errors.ts';
import type { Timer } from '../core/timer.ts';
import type { RunningQuery } from '../ports/queryControl.ts';
import type {
  Explanation,
  QueryEngine,
  QueryResult,
  RowSink,
  RunCaller,
  RunRequest,
  RunTime,
  StreamEnd,
  StreamRequest,
} from '../ports/queryEngine.ts';
import { startDeadline } from './deadline.ts';
import type { MemberReads } from './memberReads.ts';
import type { QueryQueue, Release, TokenRunner } from './queryQueue.ts';
import type { QueryRun, RunningQueries } from './runningQueries.ts';
import type { StageTimes } from './stageTimes.ts';
import type { UsedTime } from './withinLimit.ts';

export interface RunServices {
  readonly engine: QueryEngine;
  readonly queue: QueryQueue;
  readonly running: Pick<RunningQueries, 'begin'>;
  /** Told of each query that runs; absent if nobody asks. */
  readonly memberReads?: Pick<MemberReads, 'add'>;
  readonly timer: Timer;
}

export interface RunInput {
  readonly token: TokenRunner;
  readonly endpoint: RunningQuery['endpoint'];
  /** Builds the request when a slot is free, so that `now` is the time of the run, not of its wait. */
  request(): RunRequest;
  /** Awaited before the request is built, under the deadline. If the run ends before, its slot is free at once. */
  ready?(): Promise<void>;
  readonly timeoutMs: number;
  /** How long it may wait for a slot; absent for as long as the queue allows. */
  readonly queueMsMax?: number;
  /** Counts what the call uses of `timeoutMs`, in this run and others; absent if this run is all of it. */
  readonly used?: UsedTime;
  readonly callerSignal: AbortSignal;
  readonly times: StageTimes;
  /** See `RunCaller`. */
  readonly graceMs?: number;
  /** IDs of the requests that get the rows, if they are several. */
  readonly requestIds?: readonly string[];
  /** Called when the run is over and the engine has stopped, which may be later than the result. */
  stopped?(): void;
}

/**
 * Waits for a slot, then runs under the deadline. Rejects with `query.overloaded`, `query.timeout`, `query.cancelled`,
 * `query.killed` or the engine's error.
 */
export function runQuery(input: RunInput, services: RunServices): Promise<QueryResult> {
  return inPlace(input, services, async (signal, time, release, query) => {
    if (input.ready !== undefined) await untilAborted(input.ready(), signal);
    const request = input.request();
    services.memberReads?.add(request.query);
    return await services.engine.run(request, signal, time, callerOf(input, services, release, query));
  });
}

/** A run whose rows are taken while it runs. */
export interface StreamInput extends Omit<RunInput, 'ready'> {
  request(): StreamRequest;
  /** Receives the rows, and may end the run. */
  sink(abort: (reason: ServiceError) => void): RowSink;
  /** Takes the place of the stream, which ends when `signal` is aborted, or rejects. */
  place(signal: AbortSignal): Promise<Release>;
}

/** Like `runQuery`, but in a place of its own, and the sink takes the rows while they are computed. */
export function runStream(
  input: StreamInput,
  stream: NonNullable<QueryEngine['stream']>,
  services: RunServices,
): Promise<StreamEnd> {
  return inPlace(
    input,
    services,
    (signal, time, release, query) =>
      stream(input.request(), input.sink(query.abort), signal, time, callerOf(input, services, release, query)),
    (signal) => input.place(signal),
  );
}

/** Like `runQuery`, but explains the query instead of running it. */
export function explainQuery(input: Omit<RunInput, 'ready'>, services: RunServices): Promise<Explanation> {
  return inPlace(input, services, (signal, time, release, query) =>
    services.engine.explain(input.request(), signal, time, callerOf(input, services, release, query)),
  );
}

function callerOf(
  { token, times, graceMs }: Pick<RunInput, 'token' | 'times' | 'graceMs'>,
  { queue }: RunServices,
  { stepsAside }: Release,
  query: QueryRun,
): RunCaller {
  return {
    tenant: token.tenant ?? token.id,
    owner: token.id,
    blamed: () => {
      query.blamed();
      queue.blame(token);
    },
    stepsAside,
    waitedForTurn: times.waitedForTurn,
    ...(graceMs === undefined ? {} : { graceMs }),
  };
}

async function inPlace<T>(
  input: Omit<RunInput, 'request' | 'ready'>,
  services: RunServices,
  work: Work<T>,
  take: (signal: AbortSignal) => Promise<Release> = (signal) =>
    services.queue.acquire(input.token, signal, input.queueMsMax),
): Promise<T> {
  const { token, times, endpoint, requestIds } = input;
  const begun = { endpoint, tokenId: token.id, ...(requestIds === undefined ? {} : { requestIds }) };
  const query = services.running.begin(begun, input.callerSignal);
  const release = await times
    .timeAsync('queue', () => take(query.signal))
    .catch((error: unknown) => {
      query.ended(error);
      input.stopped?.();
      throw error;
    });
  query.enters('running');
  return times.timeAsync('run', () => {
    const { signal } = query;
    const { timeoutMs, used } = input;
    const deadline = startDeadline(query.abort, timeoutMs, services.timer, used?.ms);
    // The slot stays taken until the engine has really stopped, even if the caller was answered before.
    const stopped = (error: unknown) => {
      deadline.dispose();
      if (used !== undefined) used.ms = deadline.usedMs();
      release();
      query.ended(signal.aborted ? signal.reason : error);
      input.stopped?.();
    };
    const running = start(work, query, deadline, release);
    running.then(() => stopped(undefined), stopped);
    const ended = endedBy(query, running);
    const addWait = () => {
      const waitedMs = deadline.waitedMs();
      if (waitedMs > 0) times.add('wait', waitedMs);
    };
    // Not `finally`, whose promise ends later: a stream that was killed would send further rows meanwhile.
    ended.then(addWait, addWait);
    return ended;
  });
}

type Work<T> = (signal: AbortSignal, time: RunTime, release: Release, query: QueryRun) => Promise<T>;

async function start<T>(work: Work<T>, query: QueryRun, time: RunTime, release: Release): Promise<T> {
  const { signal } = query;
  signal.throwIfAborted();
  return work(signal, time, release, query);
}

/** The run's result, or the signal's reason as soon as it is aborted: the engine may take two seconds to stop. */
function endedBy<T>(query: QueryRun, running: Promise<T>): Promise<T> {
  const { signal } = query;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      query.enters('stopping');
      reject(signal.reason);
    };
    // The listener is never removed: the signal goes away with the query.
    signal.addEventListener('abort', onAbort, { once: true });
    running.then(resolve, (error: unknown) => reject(signal.aborted ? signal.reason : error));
  });
}
