import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { asServiceError, ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import type { Timer } from '../core/timer.ts';
import type { CachePurge } from '../ports/cachePurge.ts';
import type { WorkClaims } from '../ports/workClaims.ts';
import {
  ageSeconds,
  asUnchanged,
  type BackgroundRun,
  type CacheAnswer,
  type CachePolicy,
  type Entry,
  fromCache,
  isUnchanged,
  isUseless,
  isYounger,
  meets,
  neverByAge,
  type Origin,
  type Run,
  type StateAt,
  sizeOf,
  withOwnBytes,
} from './cacheEntry.ts';
import { type Flight, Flights } from './flights.ts';
import { anyFreshness, type FreshnessDemand } from './freshnessDemand.ts';
import { type RedactedForm, RedactedForms } from './redactedForms.ts';
import { RepeatedQuestions } from './repeatedQuestions.ts';
import { Warming } from './warming.ts';

const refusedForToken: ReadonlySet<string> = new Set(['query.overloaded', 'query.held_back']);

export interface CacheCall {
  /** From `cacheKey`. */
  readonly key: string;
  readonly endpointId: string;
  readonly version: number;
  readonly policy: CachePolicy;
  readonly demand: FreshnessDemand;
  readonly tokenId: string;
  readonly signal: AbortSignal;
  /** Null if the result is not refreshed in the background. */
  readonly background: BackgroundRun | null;
  run(signal: AbortSignal): Promise<Run>;
}

/** A call whose result stays valid until something that its query reads changes (decision 103). */
export interface ExactCall extends Pick<CacheCall, 'key' | 'endpointId' | 'version' | 'tokenId' | 'signal' | 'run'> {
  /** Whether the caller demands a run. */
  readonly mustRun: boolean;
  /** Must not reference the call, because it lives as long as the result. */
  readonly stateAt: StateAt;
}

/** Identifies an earlier hit, with the conditions under which it may be repeated. */
export type RepeatedHit = Pick<CacheCall, 'key' | 'policy' | 'demand'> & {
  readonly entry: number;
  /** Null if the hit does not answer an `ExactCall`. */
  readonly stateAt: StateAt | null;
};

export interface ResultCacheSettings {
  readonly bytesMax: number;
  readonly entriesMax: number;
  /** Share of the time of one query slot that background refreshes may take: from 0 (none) to 1. */
  readonly warmingShare: number;
}

export interface ResultCacheServices {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly randomness: Randomness;
  readonly observe: Observe;
  /** Ensures that `keepOnly` has been called for definition changes made by other processes. */
  lookForChanges(): Promise<unknown>;
  /**
   * Whether this node knows of every purge that is complete on all nodes. While it does not, nothing is answered from
   * the cache. Absent for one process.
   */
  readonly isCurrent?: () => boolean;
  /** Decides which node refreshes a result. */
  readonly claims: WorkClaims;
  /** `EventChanges.settled`; absent if the engine cannot tell. */
  readonly settled?: (() => Promise<void>) | undefined;
}

/** A call that needs a run, its own or a current one of the same flight key. */
interface RunCall extends Pick<CacheCall, 'demand' | 'tokenId' | 'signal'> {
  readonly flightKey: string;
  start(flightKey: string): Flight<Run>;
}

/** Largest share of the cache for one result, so that one huge answer does not evict everything else. */
const largestShare = 1 / 8;
/** Additional memory for redacted forms, as a share of the memory for results. */
const redactedShare = 1 / 4;
/** How long a call waits at most for a batch that is being stored. Its own run would take about as long. */
const settleMs = 50;
/** The token ID under which refreshes are queued; no real token has it. */
export const warmingTokenId = '#warming';

/**
 * Caches results by their complete key (contract, section 5). A result is fresh for `cacheSeconds`. Each key has
 * one run at a time. Bytes and entries are bounded. Rows are kept as the engine wrote them. The cache checks no
 * permissions: callers must check them first and put everything that changes the rows into the key.
 */
export class ResultCache implements CachePurge {
  readonly #services: ResultCacheServices;
  readonly #droppedAll: ((projects: readonly string[] | undefined) => void)[] = [];
  readonly #entries: LRUCache<string, Entry>;
  readonly #flights = new Flights<Run>();
  readonly #warming: Warming<Entry>;
  readonly #redacted: RedactedForms;
  readonly #questions = new RepeatedQuestions();
  readonly #entryBytesMax: number;
  #entriesMade = 0;
  #runsAlone = 0;

  constructor(settings: ResultCacheSettings, services: ResultCacheServices) {
    this.#services = services;
    this.#warming = new Warming(settings.warmingShare, services, (entry, signal) => this.#refresh(entry, signal));
    this.#redacted = new RedactedForms(Math.floor(settings.bytesMax * redactedShare));
    this.#entryBytesMax = Math.max(1, Math.floor(settings.bytesMax * largestShare));
    this.#entries = new LRUCache({
      max: settings.entriesMax,
      maxSize: settings.bytesMax,
      maxEntrySize: this.#entryBytesMax,
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

  /** Estimated memory use. */
  get bytes(): number {
    return this.#entries.calculatedSize + this.#redacted.bytes;
  }

  /**
   * Answers with a result that is fresh enough, from the cache or from a run. If the run fails, answers with a
   * cached result that is at most `cacheSeconds` plus `staleIfErrorSeconds` old. Rejects with the run's error,
   * with `cache.only_if_cached`, or with the signal's reason.
   */
  async answer(call: CacheCall): Promise<CacheAnswer> {
    const { key, demand, policy } = call;
    call.signal.throwIfAborted();
    this.#dropUnlessCurrent();
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
        'The call accepts only a cached result (Cache-Control: only-if-cached), but none is fresh enough.',
      );
    }
    try {
      const { run, isCollapsed } = await this.#runFor({
        ...call,
        flightKey: key,
        start: () => this.#start(call, call.tokenId, call.run),
      });
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

  /** Returns the result of an earlier run if nothing that it read has changed since. */
  unchanged({ key, mustRun, stateAt }: ExactCall): CacheAnswer | undefined {
    if (mustRun || this.#services.isCurrent?.() === false) return undefined;
    const entry = this.#entries.get(key);
    const nowMicros = this.#services.clock.nowMicros();
    if (entry === undefined || !isUnchanged(entry, stateAt, nowMicros)) return undefined;
    if (entry.exact?.wasGiven === false) {
      entry.exact.wasGiven = true;
      this.#questions.wasGiven(key, entry.exact.state);
    }
    return asUnchanged(entry, nowMicros);
  }

  /**
   * Runs the query. Keeps the result for `unchanged` if the call is likely to be repeated and if the state did not
   * change during the run. If an earlier result was served again, the call joins a run that began in the current state.
   */
  async runExact(call: ExactCall): Promise<Run> {
    const { key, endpointId, version, stateAt, tokenId, signal, mustRun } = call;
    const isPolled = this.#questions.isPolled(key);
    let state = this.#stateNow(stateAt);
    if (state === null && isPolled && !mustRun && this.#services.isCurrent?.() !== false) {
      await this.#settled();
      state = this.#stateNow(stateAt);
    }
    // While events change, no run can be shared: an earlier run may lack events that this caller knows to be stored.
    if (state === null) return await call.run(signal);
    const known = state;
    this.#questions.ask(key, known);
    const { run } = await this.#runFor({
      flightKey: isPolled ? `${known}\n${key}` : `alone ${++this.#runsAlone}`,
      demand: { ...anyFreshness, mustRun },
      tokenId,
      signal,
      start: (flightKey) =>
        this.#flights.start({
          key: flightKey,
          endpointId,
          version,
          tokenId,
          run: call.run,
          landed: (landed) => this.#keepExact(call, known, landed),
        }),
    });
    return run;
  }

  /**
   * Returns what `answer` or `unchanged` would return now, if that is a hit of the same entry. Undefined does not mean
   * that the call needs a run. Does not count as a read: call `wasRead` for that.
   */
  hitAgain({ key, policy, demand, entry: number, stateAt }: RepeatedHit, nowMicros: number): CacheAnswer | undefined {
    if (this.#services.isCurrent?.() === false) return undefined;
    const entry = this.#entries.peek(key);
    if (entry?.number !== number) return undefined;
    if (stateAt !== null) {
      return !demand.mustRun && isUnchanged(entry, stateAt, nowMicros) ? asUnchanged(entry, nowMicros) : undefined;
    }
    if (!isYounger(entry.run, policy.cacheSeconds, nowMicros)) return undefined;
    return meets(demand, entry.run, nowMicros) ? fromCache('hit', entry, nowMicros) : undefined;
  }

  /** Whether the cache still holds the result of this hit, fresh or not. */
  holds({ key, entry }: RepeatedHit): boolean {
    return this.#entries.peek(key)?.number === entry;
  }

  /** Records that the result of this key was served again. */
  wasRead(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#warming.read(entry);
  }

  /** The redacted rows of an entry, if they are kept. */
  redactedForm(entry: number): RedactedForm | undefined {
    return this.#redacted.get(entry);
  }

  /** Keeps redacted rows of an entry while there is room and the entry exists. */
  keepRedactedForm(key: string, entry: number, form: RedactedForm): void {
    // The entry may have been dropped while its rows were redacted.
    if (this.#entries.peek(key)?.number === entry) this.#redacted.keep(entry, form);
  }

  /** Drops every result of an endpoint and detaches its current runs. Returns how many results it dropped. */
  purge(endpointId: string): number {
    return this.#drop((origin) => origin.endpointId === endpointId, 'purge');
  }

  /** Drops results of versions other than these, by endpoint, and detaches the current runs of such versions. */
  keepOnly(currentVersions: ReadonlyMap<string, number>): void {
    this.#drop(({ endpointId, version }) => currentVersions.get(endpointId) !== version, 'definition');
  }

  /** Drops every result and detaches every current run, for example after events were deleted. See `CachePurge`. */
  dropAll(projects?: readonly string[]): void {
    this.#drop(() => true, 'removal');
    for (const listener of this.#droppedAll) listener(projects);
  }

  /** Calls the listener at every `dropAll`, so that what is derived from results is dropped too. */
  whenAllDropped(listener: (projects: readonly string[] | undefined) => void): void {
    this.#droppedAll.push(listener);
  }

  /** Stops background refreshes permanently. */
  stopWarming(): void {
    this.#warming.stop();
  }

  /** Runs under way may still be joined: their results are not kept if a purge detaches them. */
  #dropUnlessCurrent(): void {
    if (this.#services.isCurrent?.() === false) this.#entries.clear();
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

  #stateNow(stateAt: StateAt): string | null {
    return this.#services.isCurrent?.() === false ? null : stateAt(this.#services.clock.nowMicros());
  }

  /** Waits a short time for the batch that is being stored, so that the next run can be kept and shared. */
  async #settled(): Promise<void> {
    const { settled, timer } = this.#services;
    if (settled === undefined) return;
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = timer.after(settleMs, resolve);
    });
    await Promise.race([settled(), late]);
    cancel();
  }

  async #runFor(call: RunCall): Promise<{ readonly run: Run; readonly isCollapsed: boolean }> {
    const { flightKey } = call;
    const joined = call.demand.mustRun ? undefined : this.#flights.find(flightKey);
    if (joined === undefined) return { run: await call.start(flightKey).wait(call.signal), isCollapsed: false };
    try {
      const run = await joined.wait(call.signal);
      if (meets(call.demand, run, this.#services.clock.nowMicros())) return { run, isCollapsed: true };
    } catch (error) {
      // The run was refused because of another token's limit or hold, which must not refuse this call.
      const isOthers = joined.tokenId !== call.tokenId && refusedForToken.has(asServiceError(error).code);
      if (!isOthers) throw error;
    }
    // A run that is current now began after this call arrived, so it is as fresh as a new run.
    const next = this.#flights.find(flightKey);
    if (next?.tokenId === call.tokenId) return { run: await next.wait(call.signal), isCollapsed: true };
    return { run: await call.start(flightKey).wait(call.signal), isCollapsed: false };
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
    // Replace a result from the future: the clock was set back since.
    if (heldMicros > run.asOfMicros && heldMicros <= this.#services.clock.nowMicros()) return;
    const usefulUntilMicros = run.asOfMicros + (policy.cacheSeconds + policy.staleIfErrorSeconds) * 1e6;
    const warmSeconds = background?.everySeconds ?? null;
    const number = ++this.#entriesMade;
    const exact = null;
    const entry = { key, endpointId, version, policy, background, run, number, warmSeconds, usefulUntilMicros, exact };
    this.#dropUseless();
    this.#entries.set(key, entry, { size: sizeOf(key, run) });
    if (this.#entries.peek(key) === entry) this.#warming.filled(entry);
    else this.#services.observe({ kind: 'cache.skipped', endpointId, reason: 'too_large' });
  }

  /** `state`: the state in which the run began. */
  #keepExact({ key, endpointId, version, stateAt }: ExactCall, state: string, run: Run): void {
    const isWorthKeeping = this.#questions.isPolled(key) || this.#questions.isRepeated(key, state);
    const before = this.#entries.peek(key)?.exact;
    if (before?.wasGiven === false && before.state !== state) this.#entries.delete(key);
    // Read after the run, because a change during it has changed the state; for the run's own time, because events age.
    if (!isWorthKeeping || stateAt(run.asOfMicros) !== state || sizeOf(key, run) > this.#entryBytesMax) return;
    const entry: Entry = {
      key,
      endpointId,
      version,
      policy: neverByAge,
      background: null,
      run: withOwnBytes(run),
      number: ++this.#entriesMade,
      warmSeconds: null,
      usefulUntilMicros: Number.POSITIVE_INFINITY,
      exact: { state, stateAt, wasGiven: false },
    };
    this.#dropUseless();
    this.#entries.set(key, entry, { size: sizeOf(key, run) });
  }

  /** Drops expired and changed entries among the least recently read, to make room for others. */
  #dropUseless(): void {
    const nowMicros = this.#services.clock.nowMicros();
    const useless: string[] = [];
    for (const entry of this.#entries.rvalues()) {
      if (entry === undefined || !isUseless(entry, nowMicros)) break;
      useless.push(entry.key);
    }
    for (const key of useless) this.#entries.delete(key);
  }

  /** The stale result to serve instead of a server error (RFC 5861, section 4), if one is not too old. */
  #insteadOf(error: ServiceError, { key, demand, policy }: CacheCall): CacheAnswer | undefined {
    this.#dropUnlessCurrent();
    const entry = this.#entries.peek(key);
    if (entry === undefined || error.status < 500) return undefined;
    const nowMicros = this.#services.clock.nowMicros();
    if (!meets(demand, entry.run, nowMicros)) return undefined;
    if (isYounger(entry.run, policy.cacheSeconds, nowMicros)) return fromCache('hit', entry, nowMicros);
    if (!isYounger(entry.run, policy.cacheSeconds + policy.staleIfErrorSeconds, nowMicros)) return undefined;
    return fromCache('stale', entry, nowMicros);
  }

  /** Whether this node refreshes the result of this key. It keeps the claim while its result is read. */
  async #isOurs(key: string, everySeconds: number): Promise<boolean> {
    try {
      return await this.#services.claims.claim(key, 1.5 * everySeconds);
    } catch {
      // Without the other nodes, each refreshes what it holds.
      return true;
    }
  }

  async #refresh(entry: Entry, signal: AbortSignal): Promise<number> {
    const { endpointId, key, background } = entry;
    try {
      await this.#services.lookForChanges();
      if (this.#entries.peek(key) !== entry || background === null) return 0;
      if (!(await this.#isOurs(key, background.everySeconds)) || this.#entries.peek(key) !== entry) return 0;
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
