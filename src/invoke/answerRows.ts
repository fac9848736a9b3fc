import {
  type BackgroundRun,
  type CacheAnswer,
  type CacheOutcome,
  neverByAge,
  type Run,
  type StateAt,
} from '../cache/cacheEntry.ts';
import { cacheKey } from '../cache/cacheKey.ts';
import type { FreshnessDemand } from '../cache/freshnessDemand.ts';
import { type RepeatedHit, type ResultCache, warmingTokenId } from '../cache/resultCache.ts';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { Observe } from '../core/observation.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { RunningQuery } from '../ports/queryControl.ts';
import type { RunRequest } from '../ports/queryEngine.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import type { CallerQuery } from './callerQueryText.ts';
import type { TokenRunner } from './queryQueue.ts';
import { type RunServices, runQuery } from './run.ts';
import { StageTimes } from './stageTimes.ts';

/** The question to the engine, without the time of the run. */
export interface RowsQuestion {
  readonly query: ResolvedQuery;
  readonly request: Omit<RunRequest, 'query' | 'nowMicros'>;
  readonly timeoutMs: number;
}

export interface RowsCall {
  readonly endpoint: CallableEndpoint;
  readonly callerQuery: CallerQuery | null;
  readonly question: RowsQuestion;
  readonly demand: FreshnessDemand;
  /** The state of everything that decides the rows (`stateReader`); null if that is unknown. */
  readonly stateAt: StateAt | null;
  readonly token: TokenRunner;
  readonly signal: AbortSignal;
  readonly times: StageTimes;
}

export interface RowsServices extends RunServices {
  readonly cache: ResultCache;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** How the rows of an answer were produced, for `meta` and headers. */
export interface CacheReport extends Omit<CacheAnswer, 'outcome' | 'run'> {
  readonly outcome: CacheOutcome;
  /** How long a result of this call is fresh, in seconds; 0 if it is not cached. */
  readonly freshSeconds: number;
}

export interface Rows {
  readonly run: Run;
  readonly cache: CacheReport;
  /** Identifies the call in the cache; null if the call bypassed the cache. */
  readonly cached: Omit<RepeatedHit, 'entry'> | null;
}

/**
 * Gets the rows of a call from the cache or from a run (contract, section 5). Definitions without caching and queries
 * with a different result at each run (RAND, GENERATE_UUID) bypass the cache, unless a run would now return the rows of an
 * earlier one.
 */
export async function answerRows(call: RowsCall, services: RowsServices): Promise<Rows> {
  const { endpoint, question, times } = call;
  if (isCached(endpoint, question.query)) return times.timeAsync('cache', () => cachedRows(call, services));
  if (endpoint.cacheSeconds > 0) {
    services.observe({ kind: 'cache.skipped', endpointId: endpoint.id, reason: 'volatile' });
  }
  return call.stateAt === null ? freshRows(call, services) : exactRows(call, call.stateAt, services);
}

/** Whether calls of this query are answered from the cache at all. */
export function isCached({ cacheSeconds }: Pick<CallableEndpoint, 'cacheSeconds'>, query: ResolvedQuery): boolean {
  return cacheSeconds > 0 && !query.isVolatile;
}

async function freshRows(
  { endpoint, demand, question, token, signal, times }: RowsCall,
  services: RowsServices,
): Promise<Rows> {
  requireRun(demand);
  return { run: await runNow(endpoint, question, token, signal, times, services), cache: bypass, cached: null };
}

/** The rows of an earlier run if none of the events that they depend on has changed; otherwise those of a run. */
async function exactRows(call: RowsCall, stateAt: StateAt, services: RowsServices): Promise<Rows> {
  const { endpoint, question, demand, token, signal, times } = call;
  requireRun(demand);
  const { id, version } = endpoint;
  const key = keyOfRows(call);
  const { mustRun } = demand;
  const run = (flightSignal: AbortSignal) => runNow(endpoint, question, token, flightSignal, times, services);
  const exact = { key, endpointId: id, version, tokenId: token.id, signal, mustRun, stateAt, run };
  const unchanged = services.cache.unchanged(exact);
  if (unchanged === undefined) return { run: await services.cache.runExact(exact), cache: bypass, cached: null };
  const { run: earlier, ...cache } = unchanged;
  const { elapsedMs } = earlier.result;
  services.observe({ kind: 'cache.answered', endpointId: id, outcome: 'unchanged', savedMs: elapsedMs });
  const cached = { key, policy: neverByAge, demand, stateAt };
  return { run: earlier, cache: { ...cache, freshSeconds: 0 }, cached };
}

/** Throws `cache.only_if_cached` if the caller accepts no rows that are not in the cache. */
export function requireRun({ onlyIfCached }: FreshnessDemand): void {
  if (!onlyIfCached) return;
  throw new ServiceError(
    'cache.only_if_cached',
    'The call accepts only a cached result (Cache-Control: only-if-cached), but this query is not cached.',
  );
}

/** The report of rows that have nothing to do with the cache. */
export const bypass: CacheReport = {
  outcome: 'bypass',
  ageSeconds: 0,
  freshSeconds: 0,
  isStored: false,
  isCollapsed: false,
  wasExpired: false,
  entry: null,
};

/** Everything that decides the rows of a call, except the time of its run. */
export function keyOfRows({
  endpoint,
  callerQuery,
  question,
}: Pick<RowsCall, 'endpoint' | 'callerQuery' | 'question'>): string {
  return cacheKey({
    endpointId: endpoint.id,
    version: endpoint.version,
    storedText: endpoint.query,
    callerQuery,
    columns: question.query.columns,
    request: question.request,
  });
}

async function cachedRows(call: RowsCall, services: RowsServices): Promise<Rows> {
  const { endpoint, callerQuery, question, demand, token, signal, times } = call;
  const { id, version, cacheSeconds, staleIfErrorSeconds } = endpoint;
  const key = keyOfRows(call);
  const policy = { cacheSeconds, staleIfErrorSeconds };
  const { run, ...cache } = await services.cache.answer({
    key,
    endpointId: id,
    version,
    policy,
    demand,
    tokenId: token.id,
    signal,
    // Caller queries are never refreshed, because nothing suggests that they are asked again.
    background: callerQuery === null ? backgroundRun(endpoint, question, services) : null,
    run: (flightSignal) => runNow(endpoint, question, token, flightSignal, times, services),
  });
  const { outcome, isCollapsed } = cache;
  const isSaved = outcome === 'hit' || outcome === 'stale' || isCollapsed;
  services.observe({
    kind: 'cache.answered',
    endpointId: id,
    outcome,
    savedMs: isSaved ? run.result.elapsedMs : 0,
  });
  return { run, cache: { ...cache, freshSeconds: cacheSeconds }, cached: { key, policy, demand, stateAt: null } };
}

/** Refreshes already run one at a time. */
const warming: TokenRunner = { id: warmingTokenId, concurrencyMax: null };

/** Must not capture the call: that would keep its signal, token and times alive. */
function backgroundRun(
  { id, name, warmSeconds }: CallableEndpoint,
  question: RowsQuestion,
  services: RowsServices,
): BackgroundRun | null {
  if (warmSeconds === null) return null;
  return {
    everySeconds: warmSeconds,
    run: (signal) =>
      runNow(
        { id, name },
        question,
        { ...warming, tenant: `${warmingTokenId} ${id}` },
        signal,
        new StageTimes(() => 0),
        services,
      ),
  };
}

async function runNow(
  endpoint: RunningQuery['endpoint'],
  { query, request, timeoutMs }: RowsQuestion,
  token: TokenRunner,
  signal: AbortSignal,
  times: StageTimes,
  services: RowsServices,
): Promise<Run> {
  let asOfMicros = 0;
  const result = await runQuery(
    {
      token,
      endpoint,
      request: () => {
        asOfMicros = services.clock.nowMicros();
        return { ...request, query, nowMicros: asOfMicros };
      },
      timeoutMs,
      callerSignal: signal,
      times,
    },
    services,
  );
  return { result, asOfMicros };
}
