import { ServiceError } from '../core/errors.ts';
import { QueuePace } from '../core/queuePace.ts';
import type { Timer } from '../core/timer.ts';
import { HeldBack } from './heldBack.ts';
import { type ShareSettings, TenantShares } from './tenantShares.ts';

export interface QueryQueueSettings {
  /** Queries that run at once; at least 1. */
  readonly concurrency: number;
  /** Queries that may wait, of all tokens together. */
  readonly waitingMax: number;
  /** How long one may wait. */
  readonly waitMsMax: number;
  /** How tenants share the places; absent: as the tokens do. */
  readonly shares?: ShareSettings;
}

/** Gives the place back. Calling it again does nothing. */
export interface Release {
  (): void;
  /**
   * The run goes on beside the engine's threads, where others bound it: it gives its place back, and counts only for how
   * many its token may run at the same time.
   */
  readonly stepsAside: () => void;
}

/** For whom a query runs. */
export interface TokenRunner {
  /** Its public id. */
  readonly id: string;
  /** Queries that run for it at the same time, at most; null for as many as there are places. */
  readonly concurrencyMax: number | null;
  /** The tenant that it runs for, of this token (tenantOf.ts); absent: the token is one. */
  readonly tenant?: string;
}

const tenantOf = ({ id, tenant }: TokenRunner): string => tenant ?? id;

interface Waiter {
  readonly token: TokenRunner;
  admit(): void;
  refuse(error: unknown): void;
}

/**
 * Bounds how many queries run at once and shares the places fairly between tenants: a free place goes
 * to a tenant that has none before one that has some, otherwise round those that wait, one each, in order of arrival
 * within a tenant. How many one may have hangs on how long its queries take (tenantShares.ts). Where the queue is full,
 * the tenant that waits with the most gives way, so that a busy one never shuts the others out
 * (contract, section 7: "a queue with a deadline, fair between tokens"). A tenant whose queries ended
 * the engine repeatedly is refused for a while (heldBack.ts). A quarter of the places is
 * only for tokens that hold none: else a few tokens whose queries are all long would hold every place
 * for the time of a run, and a light one would wait longer than it may. A token can have fewer places
 * than there are; its further queries wait.
 */
export class QueryQueue {
  readonly #settings: QueryQueueSettings;
  readonly #timer: Timer;
  /** By tenant, in the order in which they are served next. None has an empty list. */
  readonly #waiting = new Map<string, Waiter[]>();
  #waitingCount = 0;
  #runningCount = 0;
  /** Places by token; none of 0. */
  readonly #held = new Map<string, number>();
  /** Runs that stepped aside, by token; none of 0. */
  readonly #aside = new Map<string, number>();
  readonly #shares: TenantShares | null;
  readonly #heldBack = new HeldBack();
  readonly #pace: QueuePace;

  constructor(settings: QueryQueueSettings, timer: Timer) {
    this.#settings = settings;
    this.#timer = timer;
    this.#pace = new QueuePace(() => timer.nowMs(), settings.waitMsMax);
    this.#shares = settings.shares === undefined ? null : new TenantShares(settings.shares, () => timer.nowMs());
  }

  get runningCount(): number {
    return [...this.#aside.values()].reduce((sum, each) => sum + each, this.#runningCount);
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /**
   * Resolves with the way to give the place back. Rejects with `query.overloaded` when the queue is
   * full or the wait too long, with `query.held_back` for whoever ended the engine repeatedly, and with the signal's reason when it is aborted while waiting.
   */
  acquire(token: TokenRunner, signal: AbortSignal): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const heldBackMs = this.#heldBack.waitMs(token.id, tenantOf(token), this.#timer.nowMs());
    if (heldBackMs > 0) return Promise.reject(heldBack(heldBackMs));
    this.#shares?.asks(tenantOf(token));
    // Whoever waits while places are free may not take one, so nobody is overtaken.
    if (this.#mayTake(token)) return Promise.resolve(this.#take(token));
    if (this.#waitingCount >= this.#settings.waitingMax && !this.#makeRoomFor(tenantOf(token))) {
      return Promise.reject(this.#overloaded('The queue of waiting queries is full.'));
    }
    return this.#wait(token, signal);
  }

  #wait(token: TokenRunner, signal: AbortSignal): Promise<Release> {
    const tenant = tenantOf(token);
    return new Promise((resolve, reject) => {
      const settle = () => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        token,
        admit: () => {
          settle();
          resolve(this.#take(token));
        },
        refuse: (error) => {
          settle();
          reject(error);
        },
      };
      const leave = (error: unknown) => {
        this.#remove(tenant, waiter);
        waiter.refuse(error);
      };
      const onAbort = () => leave(signal.reason);
      const cancelTimer = this.#timer.after(this.#settings.waitMsMax, () =>
        leave(this.#overloaded(`No place became free within ${this.#settings.waitMsMax} ms${boundOf(token)}.`, true)),
      );
      signal.addEventListener('abort', onAbort, { once: true });
      const own = this.#waiting.get(tenant);
      if (own === undefined) this.#waiting.set(tenant, [waiter]);
      else own.push(waiter);
      this.#waitingCount++;
    });
  }

  /** Notes that a query of the token ended the engine: what it has waiting is refused where it is held back for it. */
  blame(token: TokenRunner): void {
    const nowMs = this.#timer.nowMs();
    this.#heldBack.blame(token.id, tenantOf(token), nowMs);
    for (const [tenant, waiters] of [...this.#waiting]) {
      for (const waiter of [...waiters]) {
        const heldBackMs = this.#heldBack.waitMs(waiter.token.id, tenant, nowMs);
        if (heldBackMs === 0) continue;
        this.#remove(tenant, waiter);
        waiter.refuse(heldBack(heldBackMs));
      }
    }
  }

  #mayTake(token: TokenRunner): boolean {
    const { id, concurrencyMax } = token;
    if (this.#shares?.mayTake(tenantOf(token)) === false) return false;
    const { concurrency } = this.#settings;
    const heldCount = this.#held.get(id) ?? 0;
    if (concurrencyMax !== null && heldCount + (this.#aside.get(id) ?? 0) >= concurrencyMax) return false;
    const freeCount = concurrency - this.#runningCount;
    return freeCount > (heldCount > 0 ? Math.floor(concurrency / 4) : 0);
  }

  #take(token: TokenRunner): Release {
    const tokenId = token.id;
    const endShare = this.#shares?.begin(tenantOf(token));
    this.#runningCount++;
    count(this.#held, tokenId, 1);
    let state: 'inPlace' | 'aside' | 'ended' = 'inPlace';
    const leavePlace = () => {
      this.#runningCount--;
      this.#pace.left();
      endShare?.();
      count(this.#held, tokenId, -1);
    };
    const release = () => {
      if (state === 'ended') return;
      if (state === 'inPlace') leavePlace();
      else count(this.#aside, tokenId, -1);
      state = 'ended';
      this.#admitWaiting();
    };
    const stepsAside = () => {
      if (state !== 'inPlace') return;
      state = 'aside';
      leavePlace();
      count(this.#aside, tokenId, 1);
      this.#admitWaiting();
    };
    return Object.assign(release, { stepsAside });
  }

  /** A place that was given back can let in two: one in its stead, and one of a token that holds none any more. */
  #admitWaiting(): void {
    for (;;) {
      const [tenant, own] = this.#nextToAdmit() ?? [];
      if (tenant === undefined || own === undefined) return;
      const next = own.shift();
      // Behind the others, so that the next place goes to another tenant.
      this.#waiting.delete(tenant);
      if (own.length > 0) this.#waiting.set(tenant, own);
      this.#waitingCount--;
      next?.admit();
    }
  }

  /** The first in turn of those that may have a place, one without any before the others. */
  #nextToAdmit(): [string, Waiter[]] | undefined {
    const able = [...this.#waiting].filter(([, [first]]) => first !== undefined && this.#mayTake(first.token));
    return able.find(([tenant]) => this.#shares?.held(tenant) === 0) ?? able[0];
  }

  /** Refuses the newest query of the tenant that waits with the most, if that is fairer than refusing this one. */
  #makeRoomFor(tenant: string): boolean {
    let busiest: [string, Waiter[]] | undefined;
    for (const entry of this.#waiting) {
      if (busiest === undefined || entry[1].length > busiest[1].length) busiest = entry;
    }
    const ownCount = this.#waiting.get(tenant)?.length ?? 0;
    if (busiest === undefined || busiest[1].length <= ownCount + 1) return false;
    const newest = busiest[1].at(-1);
    if (newest === undefined) return false;
    this.#remove(busiest[0], newest);
    newest.refuse(this.#overloaded('The queue of waiting queries is full, and this token waits with the most.'));
    return true;
  }

  #remove(tenant: string, waiter: Waiter): void {
    const own = this.#waiting.get(tenant);
    const at = own?.indexOf(waiter) ?? -1;
    if (own === undefined || at < 0) return;
    own.splice(at, 1);
    if (own.length === 0) this.#waiting.delete(tenant);
    this.#waitingCount--;
  }

  #overloaded(why: string, waitedInVain = false): ServiceError {
    return new ServiceError('query.overloaded', `${why} Send the call again after the time in Retry-After.`, {
      retryAfterSeconds: this.#pace.secondsFor(this.#waitingCount, waitedInVain),
    });
  }
}

function count(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + change;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}

function heldBack(waitMs: number): ServiceError {
  return new ServiceError(
    'query.held_back',
    'Queries of this caller ended the query engine repeatedly, which every other query then had to wait for: it runs none for the time in Retry-After. Have them read less: a shorter time range, fewer columns, no cross products.',
    { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  );
}

function boundOf({ concurrencyMax }: TokenRunner): string {
  return concurrencyMax === null ? '' : `; this token may run ${concurrencyMax} at the same time`;
}
