import type { QueryResult } from '../ports/queryEngine.ts';
import type { FreshnessDemand } from './freshnessDemand.ts';
import type { WarmingEntry } from './warming.ts';

/** The outcome of one run. */
export interface Run {
  readonly result: QueryResult;
  /** The time that `now` meant in the run, in microseconds. */
  readonly asOfMicros: number;
}

/** How long results of a definition may be served (contract, section 3), in seconds. */
export interface CachePolicy {
  readonly cacheSeconds: number;
  readonly staleIfErrorSeconds: number;
}

/** How a result is refreshed in the background. */
export interface BackgroundRun {
  readonly everySeconds: number;
  /** Must not reference the call that supplied it, because it lives as long as the result. */
  run(signal: AbortSignal): Promise<Run>;
}

/** Reads the state of everything that a query reads (`EventChanges.stateOf`); null if it is unknown. */
export type StateAt = (nowMicros: number) => string | null;

/**
 * How an answer was produced: `hit` from the cache; `miss` by a run, because no fresh result was cached;
 * `refresh` by a run, because the caller demanded a fresher result than the cached one; `stale` from
 * the cache although too old, because the run failed; `unchanged` from the cache, because nothing that the run read
 * has changed since; `bypass` by a run, without the cache.
 */
export type CacheOutcome = 'hit' | 'miss' | 'refresh' | 'stale' | 'unchanged' | 'bypass';

export interface CacheAnswer {
  readonly outcome: Exclude<CacheOutcome, 'bypass'>;
  readonly run: Run;
  /** Time since `asOfMicros`, at least 0. */
  readonly ageSeconds: number;
  /** Whether the cache now holds the run of this call. */
  readonly isStored: boolean;
  /** Whether the call shared the run of another call. */
  readonly isCollapsed: boolean;
  /** Whether the cache held a result that was too old. */
  readonly wasExpired: boolean;
  /** Number of the cache entry that holds this run, never reused; null if no entry holds it. */
  readonly entry: number | null;
}

/** What a result belongs to. */
export interface Origin {
  readonly key: string;
  readonly endpointId: string;
  readonly version: number;
  readonly policy: CachePolicy;
  readonly background: BackgroundRun | null;
}

/** A result that the cache holds. */
export interface Entry extends WarmingEntry, Origin {
  readonly run: Run;
  readonly number: number;
  /** Null for a result that is served until it is too old. */
  readonly exact: ExactState | null;
}

/** The state in which the result of an `ExactCall` was computed. */
export interface ExactState {
  readonly state: string;
  readonly stateAt: StateAt;
  /** Whether a later call was answered with the result. */
  wasGiven: boolean;
}

/** Upper estimate of the memory that an entry takes in addition to its rows and key. */
const entryBytes = 2048;
/** The policy of results that are served while their state is unchanged, whatever their age. */
export const neverByAge: CachePolicy = { cacheSeconds: 0, staleIfErrorSeconds: 0 };

export const sizeOf = (key: string, { result }: Run): number => result.rows.byteLength + 2 * key.length + entryBytes;

/** Whether no call can be answered with the entry any more. */
export function isUseless({ exact, usefulUntilMicros }: Entry, nowMicros: number): boolean {
  return exact === null ? nowMicros >= usefulUntilMicros : exact.stateAt(nowMicros) !== exact.state;
}

/** Whether a run that begins now would return the result of the entry. */
export function isUnchanged({ exact }: Entry, stateAt: StateAt, nowMicros: number): boolean {
  return exact !== null && stateAt(nowMicros) === exact.state;
}

export function asUnchanged({ run, number }: Entry, nowMicros: number): CacheAnswer {
  return {
    outcome: 'unchanged',
    run: { ...run, asOfMicros: nowMicros },
    ageSeconds: 0,
    isStored: true,
    isCollapsed: false,
    wasExpired: false,
    entry: number,
  };
}

export function fromCache(outcome: 'hit' | 'stale', { run, number }: Entry, nowMicros: number): CacheAnswer {
  return {
    outcome,
    run,
    ageSeconds: ageSeconds(run, nowMicros),
    isStored: true,
    isCollapsed: false,
    wasExpired: outcome === 'stale',
    entry: number,
  };
}

/** Whether the result is younger than this many seconds. A result from the future is not. */
export function isYounger({ asOfMicros }: Run, seconds: number, nowMicros: number): boolean {
  const ageMicros = nowMicros - asOfMicros;
  return ageMicros >= 0 && ageMicros < seconds * 1e6;
}

export function meets({ mustRun, maxAgeSeconds }: FreshnessDemand, run: Run, nowMicros: number): boolean {
  return !mustRun && (maxAgeSeconds === null || isYounger(run, maxAgeSeconds, nowMicros));
}

export function ageSeconds({ asOfMicros }: Run, nowMicros: number): number {
  return Math.max(0, Math.floor((nowMicros - asOfMicros) / 1e6));
}

/** Copies rows that are a view of a larger buffer, so that the cache does not keep the whole buffer alive. */
export function withOwnBytes(run: Run): Run {
  const { rows } = run.result;
  if (rows.byteLength === rows.buffer.byteLength) return run;
  return { ...run, result: { ...run.result, rows: new Uint8Array(rows) } };
}
