import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { asServiceError, ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import type { Timer } from '../core/timer.ts';
import type { QueryResult } from '../ports/queryEngine.ts';
import { type Flight, Flights } from './flights.ts';
import type { FreshnessDemand } from './freshnessDemand.ts';
import { type RedactedForm, RedactedForms } from './redactedForms.ts';
import { Warming, type WarmingEntry } from './warming.ts';

const refusedForToken: ReadonlySet<string> = new Set(['query.overloaded', 'query.held_back']);

/** What one run gave. */
export interface Run {
  readonly result: QueryResult;
  /** The clock reading that `now` meant in it, microseconds. */
  readonly asOfMicros: number;
}

/** How long results of a definition are good (contract, section 3). Seconds. */
export interface CachePolicy {
  readonly cacheSeconds: number;
  readonly staleIfErrorSeconds: number;
}

/** How a result is refreshed in the background. */
export interface BackgroundRun {
  readonly everySeconds: number;
  /** Must hold on to nothing of the call that it came with: it lives as long as the result. */
  run(signal: AbortSignal): Promise<Run>;
}

export interface CacheCall {
  /** From `cacheKey`. */
  readonly key: string;
  readonly endpointId: string;
  readonly version: number;
  readonly policy: CachePolicy;
  readonly demand: FreshnessDemand;
  readonly tokenId: string;
  readonly signal: AbortSignal;
  /** Null where the result is not refreshed in the background. */
  readonly background: BackgroundRun | null;
  run(signal: AbortSignal): Promise<Run>;
}

/**
 * How an answer came about: `hit` from the cache, `miss` run because there was nothing to give,
 * `refresh` run because the caller asked for something fresher than there was, `stale` from the
 * cache though too old, because the run failed; `bypass` without the cache.
 */
export type CacheOutcome = 'hit' | 'miss' | 'refresh' | 'stale' | 'bypass';

export interface CacheAnswer {
  readonly outcome: Exclude<CacheOutcome, 'bypass'>;
  readonly run: Run;
  /** Since `asOfMicros`. At least 0. */
  readonly ageSeconds: number;
  /** Whether the run of this call is in the cache now. */
  readonly isStored: boolean;
  /** Whether the run was made for another call. */
  readonly isCollapsed: boolean;
  /** Whether there was a result that had grown too old. */
  readonly wasExpired: boolean;
  /** Number of the entry that holds this run, which never stands for another one; null where none does. */
  readonly entry: number | null;
}

/** A hit that was given before, and what would have to be true of it still. */
export type RepeatedHit = Pick<CacheCall, 'key' | 'policy' | 'demand'> & { readonly entry: number };

export interface ResultCacheSettings {
  readonly bytesMax: number;
  readonly entriesMax: number;
  /** Part of the time of one query place that refreshes in the background may take: 0 for none, at most 1. */
  readonly warmingShare: number;
}

export interface ResultCacheServices {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly randomness: Randomness;
  readonly observe: Observe;
  /** Sees to it that `keepOnly` has been told of changes of definitions by other processes. */
  lookForChanges(): Promise<unknown>;
}

type Origin = Pick<CacheCall, 'key' | 'endpointId' | 'version' | 'policy' | 'background'>;

interface Entry extends WarmingEntry, Origin {
  readonly run: Run;
  readonly number: number;
}

/** What an entry takes beside its rows and key: an estimate, on the safe side. */
const entryBytes = 2048;
/** A result may take this part of the cache: one huge answer must not drive out everything else. */
const largestShare = 1 / 8;
/** Redacted forms of results may take this much besides, as a part of what results take. */
const redactedShare = 1 / 4;
/** On whose behalf refreshes wait for a place; no token has this id. */
export const warmingTokenId = '#warming';

/**
 * Results of runs by their whole key (contract, section 5): fresh for `cacheSeconds`, one run at a
 * time per key, bounded in bytes and entries. Holds rows as the engine wrote them. Knows nothing of
 * who may ask: whoever calls has checked that, and put into the key whatever changes the rows.
 */
export class ResultCache {
  readonly #services: ResultCacheServices;
  readonly #droppedAll: (() => void)[] = [];
  readonly #entries: LRUCache<string, Entry>;
  readonly #flights = new Flights<Run>();
  readonly #warming: Warming<Entry>;
  readonly #redacted: RedactedForms;
  #entriesMade = 0;

  constructor(settings: ResultCacheSettings, services: ResultCacheServices) {
    this.#services = services;
    this.#warming = new Warming(settings.warmingShare, services, (entry, signal) => this.#refresh(entry, signal));
    this.#redacted = new RedactedForms(Math.floor(settings.bytesMax * redactedShare));
    this.#entries = new LRUCache({
      max: settings.entriesMax,
      maxSize: settings.bytesMax,
      maxEntrySize: Math.max(1, Math.floor(settings.bytesMax * largestShare)),
      dispose: (entry, _key, reason) => {
        this.#warming.forget(entry);
        this.#redacted.forget(entry.number);
        if (reason === 'evict') services.observe({ kind: 'cache.evicted', reason: 'space', entries: 1 });
      },
    });
  }

  get entryCount(): number {
    return this.#entries.size;
  }

  /** Estimated. */
  get bytes(): number {
    return this.#entries.calculatedSize + this.#redacted.bytes;
  }

  /**
   * A result that is fresh enough, from the cache or from a run. Rejects with the run's error, with
   * `cache.only_if_cached`, or with the signal's reason. Where a run fails and a result is at hand
   * that is no older than `cacheSeconds` and `staleIfErrorSeconds` together, it is that one.
   */
  async answer(call: CacheCall): Promise<CacheAnswer> {
    const { key, demand, policy } = call;
    call.signal.throwIfAborted();
    const nowMicros = this.#services.clock.nowMicros();
    const entry = this.#entries.get(key);
    const isFresh = entry !== undefined && isYounger(entry.run, policy.cacheSeconds, nowMicros);
    if (entry !== undefined && isFresh && meets(demand, entry.run, nowMicros)) {
      this.#warming.read(entry);
      return fromCache('hit', entry, nowMicros);
    }
    if (demand.onlyIfCached) {
      throw new ServiceError(
        'cache.only_if_cached',
        'The call accepts only a cached result (Cache-Control: only-if-cached), and there is none that is fresh enough.',
      );
    }
    try {
      const { run, isCollapsed } = await this.#runFor(call);
      const held = this.#entries.peek(key);
      const isStored = held?.run === run;
      return {
        outcome: isFresh ? 'refresh' : 'miss',
        run,
        ageSeconds: ageSeconds(run, this.#services.clock.nowMicros()),
        isStored,
        isCollapsed,
        wasExpired: entry !== undefined && !isFresh,
        entry: isStored ? held.number : null,
      };
    } catch (error) {
      const atHand = this.#insteadOf(asServiceError(error), call);
      if (atHand === undefined) throw error;
      return atHand;
    }
  }

  /**
   * What `answer` would give at this moment, if that is a hit of the same entry; undefined says nothing. Does
   * not count as reading it: that is said with `wasRead`.
   */
  hitAgain({ key, policy, demand, entry: number }: RepeatedHit, nowMicros: number): CacheAnswer | undefined {
    const entry = this.#entries.peek(key);
    if (entry?.number !== number || !isYounger(entry.run, policy.cacheSeconds, nowMicros)) return undefined;
    return meets(demand, entry.run, nowMicros) ? fromCache('hit', entry, nowMicros) : undefined;
  }

  /** Whether the result that a hit was given from is there still, fresh or not. */
  holds({ key, entry }: RepeatedHit): boolean {
    return this.#entries.peek(key)?.number === entry;
  }

  /** The result of this key was given once more. */
  wasRead(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#warming.read(entry);
  }

  /** The redacted rows of an entry, where they are kept. */
  redactedForm(entry: number): RedactedForm | undefined {
    return this.#redacted.get(entry);
  }

  /** Keeps redacted rows of an entry for as long as there is room and the entry is there. */
  keepRedactedForm(key: string, entry: number, form: RedactedForm): void {
    // It may have been dropped while its rows were redacted.
    if (this.#entries.peek(key)?.number === entry) this.#redacted.keep(entry, form);
  }

  /** Drops every result of an endpoint; what is being run for it is not kept. Gives how many there were. */
  purge(endpointId: string): number {
    return this.#drop((origin) => origin.endpointId === endpointId, 'purge');
  }

  /** Drops results of versions other than these, by endpoint; what is being run for them is not kept. */
  keepOnly(currentVersions: ReadonlyMap<string, number>): void {
    this.#drop(({ endpointId, version }) => currentVersions.get(endpointId) !== version, 'definition');
  }

  /** Drops every result, as after events were deleted; what is being run is not kept. */
  dropAll(): void {
    this.#drop(() => true, 'removal');
    for (const listener of this.#droppedAll) listener();
  }

  /** Has whoever else holds what was made of results drop it as well, at every `dropAll`. */
  whenAllDropped(listener: () => void): void {
    this.#droppedAll.push(listener);
  }

  /** Ends refreshing in the background for good. */
  stopWarming(): void {
    this.#warming.stop();
  }

  #drop(
    isConcerned: (origin: Pick<Origin, 'endpointId' | 'version'>) => boolean,
    reason: 'purge' | 'definition' | 'removal',
  ): number {
    this.#flights.detach(isConcerned);
    const keys = [...this.#entries].filter(([, entry]) => isConcerned(entry)).map(([key]) => key);
    for (const key of keys) this.#entries.delete(key);
    if (keys.length > 0) this.#services.observe({ kind: 'cache.evicted', reason, entries: keys.length });
    return keys.length;
  }

  async #runFor(call: CacheCall): Promise<{ readonly run: Run; readonly isCollapsed: boolean }> {
    const joined = call.demand.mustRun ? undefined : this.#flights.find(call.key);
    if (joined === undefined)
      return { run: await this.#start(call, call.tokenId, call.run).wait(call.signal), isCollapsed: false };
    try {
      const run = await joined.wait(call.signal);
      if (meets(call.demand, run, this.#services.clock.nowMicros())) return { run, isCollapsed: true };
    } catch (error) {
      // Refused because another token waits with too many queries, or is held back: no reason to refuse this one.
      const isOthers = joined.tokenId !== call.tokenId && refusedForToken.has(asServiceError(error).code);
      if (!isOthers) throw error;
    }
    // Whatever runs now began after this call came, so it is as fresh as a run of its own.
    const next = this.#flights.find(call.key);
    if (next?.tokenId === call.tokenId) return { run: await next.wait(call.signal), isCollapsed: true };
    return { run: await this.#start(call, call.tokenId, call.run).wait(call.signal), isCollapsed: false };
  }

  #start(origin: Origin, tokenId: string, run: BackgroundRun['run']): Flight<Run> {
    return this.#flights.start({
      key: origin.key,
      endpointId: origin.endpointId,
      version: origin.version,
      tokenId,
      run: async (signal) => withOwnBytes(await run(signal)),
      landed: (value) => this.#keep(origin, value),
    });
  }

  #keep({ key, endpointId, version, policy, background }: Origin, run: Run): void {
    const heldMicros = this.#entries.peek(key)?.run.asOfMicros ?? 0;
    // One from the future is no better: the clock has been put back since.
    if (heldMicros > run.asOfMicros && heldMicros <= this.#services.clock.nowMicros()) return;
    const usefulUntilMicros = run.asOfMicros + (policy.cacheSeconds + policy.staleIfErrorSeconds) * 1e6;
    const warmSeconds = background?.everySeconds ?? null;
    const number = ++this.#entriesMade;
    const entry: Entry = { key, endpointId, version, policy, background, run, number, warmSeconds, usefulUntilMicros };
    this.#dropUseless();
    this.#entries.set(key, entry, { size: run.result.rows.byteLength + 2 * key.length + entryBytes });
    if (this.#entries.peek(key) === entry) this.#warming.filled(entry);
    else this.#services.observe({ kind: 'cache.skipped', endpointId, reason: 'too_large' });
  }

  /** Of those that were not read for the longest time: what nobody asks for any more takes no room from others. */
  #dropUseless(): void {
    const nowMicros = this.#services.clock.nowMicros();
    const useless: string[] = [];
    for (const entry of this.#entries.rvalues()) {
      if (entry === undefined || nowMicros < entry.usefulUntilMicros) break;
      useless.push(entry.key);
    }
    for (const key of useless) this.#entries.delete(key);
  }

  /** What may be given in place of an error of ours (RFC 5861, section 4): a good result that is not too old. */
  #insteadOf(error: ServiceError, { key, demand, policy }: CacheCall): CacheAnswer | undefined {
    const entry = this.#entries.peek(key);
    if (entry === undefined || error.status < 500) return undefined;
    const nowMicros = this.#services.clock.nowMicros();
    if (!meets(demand, entry.run, nowMicros)) return undefined;
    if (isYounger(entry.run, policy.cacheSeconds, nowMicros)) return fromCache('hit', entry, nowMicros);
    if (!isYounger(entry.run, policy.cacheSeconds + policy.staleIfErrorSeconds, nowMicros)) return undefined;
    return fromCache('stale', entry, nowMicros);
  }

  async #refresh(entry: Entry, signal: AbortSignal): Promise<number> {
    const { endpointId, key, background } = entry;
    try {
      await this.#services.lookForChanges();
      if (this.#entries.peek(key) !== entry || background === null) return 0;
      const flight = this.#flights.find(key) ?? this.#start(entry, warmingTokenId, background.run);
      const { elapsedMs } = (await flight.wait(signal)).result;
      this.#services.observe({ kind: 'cache.refreshed', endpointId, elapsedMs });
      return elapsedMs;
    } catch (error) {
      const { code } = asServiceError(error);
      if (!signal.aborted) this.#services.observe({ kind: 'cache.refresh_failed', endpointId, code });
      throw error;
    }
  }
}

function fromCache(outcome: 'hit' | 'stale', { run, number }: Entry, nowMicros: number): CacheAnswer {
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

/** Whether the result is of the last so many seconds; one from the future is not. */
function isYounger({ asOfMicros }: Run, seconds: number, nowMicros: number): boolean {
  const ageMicros = nowMicros - asOfMicros;
  return ageMicros >= 0 && ageMicros < seconds * 1e6;
}

function meets({ mustRun, maxAgeSeconds }: FreshnessDemand, run: Run, nowMicros: number): boolean {
  return !mustRun && (maxAgeSeconds === null || isYounger(run, maxAgeSeconds, nowMicros));
}

function ageSeconds({ asOfMicros }: Run, nowMicros: number): number {
  return Math.max(0, Math.floor((nowMicros - asOfMicros) / 1e6));
}

/** Rows are often a view of a larger buffer, which would be held together with them. */
function withOwnBytes(run: Run): Run {
  const { rows } = run.result;
  if (rows.byteLength === rows.buffer.byteLength) return run;
  return { ...run, result: { ...run.result, rows: new Uint8Array(rows) } };
}
