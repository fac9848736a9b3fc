import type { Clock } from '../core/clock.ts';
import { asServiceError, ServiceError } from '../core/errors.ts';
import { type Randomness, uuidV7 } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import type { QueryControl, QueryStage, RunningQuery, RunningQueryList } from '../ports/queryControl.ts';
import type { ReadMs } from './stageTimes.ts';

/** The handle of one query for the code that runs it. */
export interface QueryRun {
  /** The only signal that reaches the engine: aborted with the caller's reason, with `query.killed`, or by `abort`. */
  readonly signal: AbortSignal;
  abort(reason: ServiceError): void;
  enters(stage: Exclude<QueryStage, 'waiting'>): void;
  /** The query ended the engine. */
  blamed(): void;
  /** Call this when the query has released its slot, with the error that ended it early, if any. */
  ended(error: unknown): void;
}

export interface BegunQuery extends Pick<RunningQuery, 'endpoint' | 'tokenId' | 'requestIds'> {
  /** The endpoint name for usage, if its own name is not an endpoint's. */
  readonly countedAs?: string;
}

export interface RunningQueriesServices {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
  readonly readMs: ReadMs;
}

interface Entry extends Omit<RunningQuery, 'stage' | 'elapsedMs'> {
  stage: QueryStage;
  readonly beganMs: number;
  readonly controller: AbortController;
}

/**
 * All queries of this process that wait for a slot or hold one (contract, section 7). A run that several callers share
 * is one query, of the token whose call came first.
 */
export class RunningQueries implements QueryControl {
  readonly #services: RunningQueriesServices;
  readonly #entries = new Map<string, Entry>();
  #ending: ServiceError | null = null;

  constructor(services: RunningQueriesServices) {
    this.#services = services;
  }

  begin({ endpoint, tokenId, requestIds, countedAs = endpoint.name }: BegunQuery, callerSignal: AbortSignal): QueryRun {
    const { clock, randomness, readMs, observe } = this.#services;
    const startedMicros = clock.nowMicros();
    const controller = new AbortController();
    const entry: Entry = {
      id: uuidV7(startedMicros / 1000, randomness),
      endpoint: { id: endpoint.id, name: endpoint.name },
      tokenId,
      ...ofRequests(requestIds),
      stage: 'waiting',
      startedMicros,
      beganMs: readMs(),
      controller,
    };
    const onCallerAbort = () => controller.abort(callerSignal.reason);
    if (callerSignal.aborted) onCallerAbort();
    if (this.#ending !== null) controller.abort(this.#ending);
    callerSignal.addEventListener('abort', onCallerAbort, { once: true });
    this.#entries.set(entry.id, entry);
    let ranFromMs: number | undefined;
    return {
      signal: controller.signal,
      abort: (reason) => controller.abort(reason),
      enters(stage) {
        if (stage === 'running') ranFromMs = readMs();
        entry.stage = stage;
      },
      blamed: () =>
        observe({
          kind: 'query.ended_engine',
          queryId: entry.id,
          endpoint: countedAs,
          tokenId,
          ...ofRequests(requestIds),
        }),
      ended: (error) => {
        callerSignal.removeEventListener('abort', onCallerAbort);
        this.#entries.delete(entry.id);
        const endMs = readMs();
        observe({
          kind: 'query.ended',
          queryId: entry.id,
          endpoint: countedAs,
          waitedMs: (ranFromMs ?? endMs) - entry.beganMs,
          elapsedMs: endMs - (ranFromMs ?? endMs),
          outcome: error === undefined ? 'answered' : asServiceError(error).code,
          ...(error === undefined ? {} : ofRequests(requestIds)),
        });
      },
    };
  }

  list(ofToken: string | null): RunningQueryList {
    const nowMs = this.#services.readMs();
    const queries = [...this.#entries.values()]
      .filter(({ tokenId }) => ofToken === null || tokenId === ofToken)
      .map(({ id, endpoint, tokenId, requestIds, stage, startedMicros, beganMs }) => ({
        id,
        endpoint,
        tokenId,
        ...ofRequests(requestIds),
        stage,
        startedMicros,
        elapsedMs: nowMs - beganMs,
      }));
    return { queries, silentNodes: [] };
  }

  /** Ends every query, and from now on each new one. Waiting callers are answered with the reason at once. */
  endAll(reason: ServiceError): void {
    this.#ending = reason;
    for (const { controller } of this.#entries.values()) controller.abort(reason);
  }

  kill(id: string, ofToken: string | null, killedBy: string): void {
    const entry = this.#entries.get(id.toLowerCase());
    if (entry === undefined || (ofToken !== null && entry.tokenId !== ofToken)) {
      const value = id.slice(0, 128);
      throw new ServiceError(
        'query.unknown',
        `No query with the ID "${value}" is running; it may have ended. GET /api/queries lists the running queries.`,
        { errors: [{ value }] },
      );
    }
    const { endpoint, requestIds } = entry;
    const observed = { queryId: entry.id, endpoint: endpoint.name, killedBy, ...ofRequests(requestIds) };
    this.#services.observe({ kind: 'query.killed', ...observed });
    entry.controller.abort(
      new ServiceError('query.killed', 'The operator of the service ended the query before it finished.'),
    );
  }
}

const ofRequests = (requestIds: readonly string[] | undefined): Pick<RunningQuery, 'requestIds'> =>
  requestIds === undefined ? {} : { requestIds };
