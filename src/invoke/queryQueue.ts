import { LRUCache } from 'lru-cache';
import { changeCount } from '../core/changeCount.ts';
import type { Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import { QueuePace } from '../core/queuePace.ts';
import type { Timer } from '../core/timer.ts';
import type { TokenRuns } from '../ports/tokenRuns.ts';
import { HeldBack } from './heldBack.ts';
import { type ShareSettings, TenantShares } from './tenantShares.ts';

export interface QueryQueueSettings {
  /** Maximum number of queries that run at once; at least 1. */
  readonly concurrency: number;
  /** Maximum number of waiting queries, for all tokens together. */
  readonly waitingMax: number;
  /** Maximum waiting time of a query. */
  readonly waitMsMax: number;
  /** How tenants share the slots; if absent, as tokens do. */
  readonly shares?: ShareSettings;
}

/** Releases the slot. Further calls do nothing. */
export interface Release {
  (): void;
  /**
   * The run continues outside the engine's threads, where other limits apply. It releases its slot and from then on
   * counts only for its token's concurrency limit.
   */
  readonly stepsAside: () => void;
}

/** The token and tenant that a query runs for. */
export interface TokenRunner {
  /** Its public ID. */
  readonly id: string;
  /** Maximum number of concurrent queries of the token; null for no limit except the slots. */
  readonly concurrencyMax: number | null;
  /** The tenant within the token; if absent, the token is one tenant. */
  readonly tenant?: string;
  /** The owner of places that are held for long (`placeOwnerOf`); if absent, the token. */
  readonly placeOwner?: string;
}

/** Number of tokens whose turns are remembered. */
const knownMax = 10_000;

const tenantOf = ({ id, tenant }: TokenRunner): string => tenant ?? id;

interface Waiter {
  readonly token: TokenRunner;
  admit(): void;
  refuse(error: unknown): void;
}

/**
 * Bounds concurrent queries and shares the slots fairly between tenants (contract, section 7: "a queue with a deadline,
 * fair between tokens"). A free slot goes to a token without one first, otherwise to the waiting token that was given one
 * longest ago, whatever the number of its tenants. Within a token, it goes to a tenant without one first, otherwise round
 * its waiting tenants; within a tenant, in order of arrival. The run times of a tenant's queries decide how many slots it may have (tenantShares.ts).
 *
 * If the queue is full, the token with the most waiting queries gives way, and in it the tenant with the most, so that a
 * busy one never starves others.
 * A tenant whose queries repeatedly ended the engine is refused for a while (heldBack.ts). A quarter of the slots is
 * reserved for tokens that hold none; otherwise a few tokens with long queries could hold every slot. A token can have
 * a lower limit; its further queries wait.
 */
export class QueryQueue {
  readonly #settings: QueryQueueSettings;
  readonly #timer: Timer;
  readonly #runs: TokenRuns;
  /** Waiting queries by tenant, in the order of service. No list is empty. */
  readonly #waiting = new Map<string, Waiter[]>();
  #waitingCount = 0;
  /** By token, the number of slots given when it was last given one. */
  readonly #lastGiven = new LRUCache<string, number>({ max: knownMax });
  #given = 0;
  #runningCount = 0;
  /** Slots held by each token; never 0. */
  readonly #held = new Map<string, number>();
  /** Runs outside the engine's threads. */
  #asideCount = 0;
  readonly #shares: TenantShares | null;
  readonly #heldBack = new HeldBack();
  readonly #pace: QueuePace;
  readonly #turns: Turns | undefined;

  /** With `turns`, queries that are refused after a wait get one turn each: hundreds may reach their deadline at once. */
  constructor(settings: QueryQueueSettings, timer: Timer, runs: TokenRuns, turns?: Turns) {
    this.#turns = turns;
    this.#settings = settings;
    this.#timer = timer;
    this.#runs = runs;
    runs.whenFreed(() => this.#admitWaiting());
    this.#pace = new QueuePace(() => timer.nowMs(), settings.waitMsMax);
    this.#shares = settings.shares === undefined ? null : new TenantShares(settings.shares, () => timer.nowMs());
  }

  get runningCount(): number {
    return this.#runningCount + this.#asideCount;
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /**
   * Waits for a slot, at most `waitMsMax`, and resolves with its release. Rejects with `query.overloaded` if the queue is
   * full or the wait too long, with `query.held_back` if the tenant is held back, and with the signal's reason if it is aborted while
   * waiting.
   */
  acquire(token: TokenRunner, signal: AbortSignal, waitMsMax = this.#settings.waitMsMax): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const heldBackMs = this.#heldBackMs(token);
    if (heldBackMs > 0) return Promise.reject(heldBack(heldBackMs));
    this.#shares?.asks(tenantOf(token));
    // Queries that wait while slots are free may not take one, so this query does not overtake any.
    if (this.#mayTake(token)) return Promise.resolve(this.#take(token));
    if (this.#waitingCount >= this.#settings.waitingMax && !this.#makeRoomFor(token)) {
      return Promise.reject(this.#overloaded('The queue of waiting queries is full.'));
    }
    return this.#wait(token, signal, waitMsMax);
  }

  /** Throws `query.held_back` if the tenant is held back. */
  refuseHeldBack(token: TokenRunner): void {
    const heldBackMs = this.#heldBackMs(token);
    if (heldBackMs > 0) throw heldBack(heldBackMs);
  }

  #heldBackMs(token: TokenRunner): number {
    return this.#heldBack.waitMs(token.id, tenantOf(token), this.#timer.nowMs());
  }

  #wait(token: TokenRunner, signal: AbortSignal, waitMsMax: number): Promise<Release> {
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
        this.#refuse(waiter, error);
      };
      const onAbort = () => leave(signal.reason);
      const isWholeWait = waitMsMax >= this.#settings.waitMsMax;
      const cancelTimer = this.#timer.after(waitMsMax, () =>
        leave(this.#overloaded(`No query slot became free within ${waitMsMax} ms${boundOf(token)}.`, isWholeWait)),
      );
      signal.addEventListener('abort', onAbort, { once: true });
      const own = this.#waiting.get(tenant);
      if (own === undefined) this.#waiting.set(tenant, [waiter]);
      else own.push(waiter);
      this.#waitingCount++;
    });
  }

  /**
   * Records that a query of the token ended the engine. Refuses the waiting queries of a tenant that is now held back.
   */
  blame(token: TokenRunner): void {
    const nowMs = this.#timer.nowMs();
    this.#heldBack.blame(token.id, tenantOf(token), nowMs);
    for (const [tenant, waiters] of [...this.#waiting]) {
      for (const waiter of [...waiters]) {
        const heldBackMs = this.#heldBack.waitMs(waiter.token.id, tenant, nowMs);
        if (heldBackMs === 0) continue;
        this.#remove(tenant, waiter);
        this.#refuse(waiter, heldBack(heldBackMs));
      }
    }
  }

  #mayTake(token: TokenRunner): boolean {
    const { id, concurrencyMax } = token;
    if (this.#shares?.mayTake(tenantOf(token)) === false) return false;
    const { concurrency } = this.#settings;
    const freeCount = concurrency - this.#runningCount;
    if (freeCount <= (this.#held.has(id) ? Math.floor(concurrency / 4) : 0)) return false;
    // Last, because other nodes keep nothing free for a query that could not begin here.
    return concurrencyMax === null || this.#runs.mayBegin(id, concurrencyMax);
  }

  #take(token: TokenRunner): Release {
    const tokenId = token.id;
    const endShare = this.#shares?.begin(tenantOf(token));
    const endRun = this.#runs.begin(tokenId);
    this.#runningCount++;
    this.#lastGiven.set(tokenId, ++this.#given);
    changeCount(this.#held, tokenId, 1);
    let state: 'inPlace' | 'aside' | 'ended' = 'inPlace';
    const leavePlace = () => {
      this.#runningCount--;
      this.#pace.left();
      endShare?.();
      changeCount(this.#held, tokenId, -1);
    };
    const release = () => {
      if (state === 'ended') return;
      if (state === 'inPlace') leavePlace();
      else this.#asideCount--;
      state = 'ended';
      endRun();
    };
    const stepsAside = () => {
      if (state !== 'inPlace') return;
      state = 'aside';
      leavePlace();
      this.#asideCount++;
      this.#admitWaiting();
    };
    return Object.assign(release, { stepsAside });
  }

  /** Admits waiting queries. One released slot can admit two: its successor, and one of a token that now holds none. */
  #admitWaiting(): void {
    for (;;) {
      const [tenant, own] = this.#nextToAdmit() ?? [];
      if (tenant === undefined || own === undefined) return;
      const next = own.shift();
      // Requeue the tenant last, so that the next slot goes to another one.
      this.#waiting.delete(tenant);
      if (own.length > 0) this.#waiting.set(tenant, own);
      this.#waitingCount--;
      next?.admit();
    }
  }

  /** The next tenant in turn that may have a slot, of the token whose turn it is. Those without a slot come first. */
  #nextToAdmit(): [string, Waiter[]] | undefined {
    const able = [...this.#waiting].filter(([, [first]]) => first !== undefined && this.#mayTake(first.token));
    const turnOf = ([, [first]]: [string, Waiter[]]) => {
      const id = first?.token.id ?? '';
      return this.#held.has(id) ? (this.#lastGiven.get(id) ?? 0) : -1;
    };
    const turn = able.reduce((least, each) => Math.min(least, turnOf(each)), Number.POSITIVE_INFINITY);
    const next = able.filter((each) => turnOf(each) === turn);
    return next.find(([tenant]) => this.#shares?.held(tenant) === 0) ?? next[0];
  }

  /**
   * Refuses the newest query of the token with the most waiting, and of its tenant with the most, if that is fairer than
   * refusing this one.
   */
  #makeRoomFor(token: TokenRunner): boolean {
    const byToken = new Map<string, number>();
    const byTenant = new Map<string, number>();
    for (const [tenant, [first, ...others]] of this.#waiting) {
      const id = first?.token.id ?? '';
      byToken.set(id, (byToken.get(id) ?? 0) + 1 + others.length);
      byTenant.set(tenant, 1 + others.length);
    }
    const busiestToken = busiest(byToken);
    const isOwn = !isFairer(busiestToken, byToken.get(token.id));
    const tenants = [...byTenant].filter(
      ([tenant]) => this.#waiting.get(tenant)?.[0]?.token.id === (isOwn ? token.id : busiestToken?.[0]),
    );
    const busiestTenant = busiest(tenants);
    if (busiestTenant === undefined) return false;
    if (isOwn && !isFairer(busiestTenant, byTenant.get(tenantOf(token)))) return false;
    const [tenant] = busiestTenant;
    const newest = this.#waiting.get(tenant)?.at(-1);
    if (newest === undefined) return false;
    this.#remove(tenant, newest);
    newest.refuse(
      this.#overloaded('The queue of waiting queries is full, and this token has the most waiting queries.'),
    );
    return true;
  }

  /** Refuses a waiting query that was removed. Its answer is written in the same turn. */
  #refuse(waiter: Waiter, error: unknown): void {
    if (this.#turns === undefined) waiter.refuse(error);
    else void this.#turns.next(waiter.token.id).then(() => waiter.refuse(error));
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

/** The entry with the highest count; the last of equal ones, which has waited for the shortest time. */
function busiest(counts: Iterable<readonly [string, number]>): readonly [string, number] | undefined {
  let found: readonly [string, number] | undefined;
  for (const entry of counts) if (found === undefined || entry[1] >= found[1]) found = entry;
  return found;
}

/** Whether that one would still have as many waiting queries as the asking one, if it gave way to it. */
function isFairer(other: readonly [string, number] | undefined, ownCount = 0): boolean {
  return other !== undefined && other[1] > ownCount + 1;
}

function heldBack(waitMs: number): ServiceError {
  return new ServiceError(
    'query.held_back',
    'Queries of this caller repeatedly ended the query engine, which delays all other queries, so the caller must wait for the time in Retry-After. Then read less data: use a shorter time range and fewer columns, and no cross products.',
    { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  );
}

function boundOf({ concurrencyMax }: TokenRunner): string {
  return concurrencyMax === null ? '' : `; this token may run at most ${concurrencyMax} at the same time`;
}
