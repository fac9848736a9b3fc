import { QueuePace } from '../../../core/queuePace.ts';
import type { Timer } from '../../../core/timer.ts';

/** The tenant and the owner for whom a statement runs. */
export interface PlaceTaker {
  /** A tenant has one place at a time. */
  readonly tenant: string;
  /** Owner of the tenant; tenants of one owner share its places. */
  readonly owner: string;
}

export interface FunctionPlacesOptions {
  /** Number of places, each of which runs one statement at a time; at least 2. */
  readonly count: number;
  /** Whether the process of a place is there. Places whose process must first be started are taken last. */
  readonly isReady: (place: number) => boolean;
  /** Processor time that the process of a place has used, milliseconds; null if unknown. */
  readonly processorMs: (place: number) => number | null;
  /** Maximum of waiting statements, in all and by owner. */
  readonly waitingMax: number;
  readonly waitingMaxByOwner: number;
  readonly waitMsMax: number;
  readonly timer: Timer;
  /**
   * Creates the error for a statement that cannot wait, or waited too long. It may be sent again after this many
   * seconds.
   */
  readonly onOverload: (retryAfterSeconds: number) => Error;
}

/**
 * How long a statement works in its first and second attempt before it yields to waiting statements. The time that it waits
 * for a busy machine or for its rows counts less (`idleFactor`).
 */
const attemptsMs = [300, 600] as const;

/**
 * A statement that has run this many times longer than it may work yields too, however little its process worked: it waits
 * for its rows, which the main process copies, or for a processor, and the others wait for its place.
 */
const idleFactor = 6;

/** A statement that works longer than this is long. */
const longMs = 600;

/** For this long after a long statement of a tenant, its next one is expected to be long too. */
const rememberedMs = 10_000;

/** Number of places given after which an owner counts as one that had none. */
const givenRemembered = 1_000;

interface Attempt extends PlaceTaker {
  readonly isLong: boolean;
  /** How long the statement works before it yields to others. */
  readonly limitMs: number;
}

interface Waiter extends Attempt {
  admit(run: Running): void;
  refuse(error: unknown): void;
}

interface Running extends Attempt {
  readonly place: number;
  /** When it began to work; infinite until then. */
  sinceMs: number;
  /** Processor time of the process at that moment; null if unknown. */
  processorMs: number | null;
  readonly yields: AbortController;
}

/** The reason for aborting a statement that must yield. */
class Yielded extends Error {}

/**
 * Distributes the places in the function processes, which are few and may be occupied for many seconds. Long statements
 * never get all places: one is reserved for statements that are not known to be long. If others wait for it, a
 * statement that has worked there for 0.3 s, or been there for 1.8 s, yields it and is repeated from the beginning, this time with 0.6 s, and then
 * as a long one. The oldest long statement never yields, so each one finishes (decision 57). Owners get places in turn,
 * and so do the tenants of each owner.
 */
export class FunctionPlaces {
  readonly #options: FunctionPlacesOptions;
  readonly #running = new Map<number, Running>();
  /** In order of arrival. */
  #waiting: readonly Waiter[] = [];
  /** Number of places given so far. */
  #given = 0;
  /** The last place given to each owner and tenant; old ones are forgotten. */
  readonly #lastGiven = new Map<string, number>();
  /** When tenants last had a long statement. */
  readonly #longAt = new Map<string, number>();
  readonly #pace: QueuePace;
  #cancelLook = () => {};

  constructor(options: FunctionPlacesOptions) {
    this.#options = options;
    this.#pace = new QueuePace(() => options.timer.nowMs(), options.waitMsMax);
  }

  /**
   * Runs `work` in a place, repeatedly if it must yield, which aborts its signal. `work` calls `begins` when it has a
   * process, so that waiting for one makes no statement long.
   *
   * @throws the signal's reason if it aborts while waiting, or the error of `onOverload`
   */
  async use<T>(
    taker: PlaceTaker,
    signal: AbortSignal,
    work: (place: number, signal: AbortSignal, begins: () => void) => Promise<T>,
  ): Promise<T> {
    for (let attempt = this.#isKnownAsLong(taker.tenant) ? attemptsMs.length : 0; ; attempt++) {
      const limitMs = attemptsMs[attempt];
      const { tenant, owner } = taker;
      const run = await this.#enter(
        { tenant, owner, isLong: limitMs === undefined, limitMs: limitMs ?? longMs },
        signal,
      );
      try {
        return await work(run.place, AbortSignal.any([signal, run.yields.signal]), () => {
          run.sinceMs = this.#options.timer.nowMs();
          run.processorMs = this.#options.processorMs(run.place);
          this.#haveYield();
        });
      } catch (error) {
        if (!run.yields.signal.aborted || signal.aborted) throw error;
        if (this.#isLong(run)) attempt = attemptsMs.length;
      } finally {
        this.#leave(run);
      }
    }
  }

  #isKnownAsLong(tenant: string): boolean {
    const atMs = this.#longAt.get(tenant);
    return atMs !== undefined && this.#options.timer.nowMs() - atMs < rememberedMs;
  }

  #enter(attempt: Attempt, signal: AbortSignal): Promise<Running> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const { waitingMax, waitingMaxByOwner, waitMsMax, timer, onOverload } = this.#options;
    const own = this.#waiting.filter(({ owner }) => owner === attempt.owner).length;
    if (own >= waitingMaxByOwner || this.#waiting.length >= waitingMax) {
      return Promise.reject(onOverload(this.#pace.secondsFor(this.#waiting.length)));
    }
    return new Promise((resolve, reject) => {
      const settle = () => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
        this.#waiting = this.#waiting.filter((each) => each !== waiter);
      };
      const waiter: Waiter = {
        ...attempt,
        admit: (run) => {
          settle();
          resolve(run);
        },
        refuse: (error) => {
          settle();
          reject(error);
        },
      };
      const onAbort = () => waiter.refuse(signal.reason);
      const cancelTimer = timer.after(waitMsMax, () =>
        waiter.refuse(onOverload(this.#pace.secondsFor(this.#waiting.length, true))),
      );
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting = [...this.#waiting, waiter];
      this.#admit();
    });
  }

  #leave(run: Running): void {
    this.#running.delete(run.place);
    this.#pace.left();
    const nowMs = this.#options.timer.nowMs();
    if (this.#isLong(run)) this.#longAt.set(run.tenant, nowMs);
    for (const [tenant, atMs] of this.#longAt) if (nowMs - atMs >= rememberedMs) this.#longAt.delete(tenant);
    this.#admit();
  }

  #admit(): void {
    for (;;) {
      const place = this.#freePlace();
      const next = place === undefined ? undefined : this.#next();
      if (place === undefined || next === undefined) break;
      const { tenant, owner, isLong, limitMs } = next;
      const begun = { sinceMs: Number.POSITIVE_INFINITY, processorMs: null };
      const run: Running = { tenant, owner, isLong, limitMs, place, ...begun, yields: new AbortController() };
      this.#running.set(place, run);
      this.#noteGiven(run);
      next.admit(run);
    }
    this.#haveYield();
  }

  #freePlace(): number | undefined {
    const free = Array.from({ length: this.#options.count }, (_, place) => place).filter(
      (place) => !this.#running.has(place),
    );
    return free.find((place) => this.#options.isReady(place)) ?? free[0];
  }

  /** A long statement if one may run; otherwise the waiting one that had a place longest ago. */
  #next(): Waiter | undefined {
    const running = [...this.#running.values()];
    const mayBeLong = running.filter((run) => this.#isLong(run)).length < this.#options.count - 1;
    const able = this.#waiting.filter(
      ({ tenant, isLong }) => (mayBeLong || !isLong) && running.every((run) => run.tenant !== tenant),
    );
    const long = able.filter(({ isLong }) => isLong);
    const lastGivenTo = ({ owner, tenant }: Waiter) =>
      [this.#lastGiven.get(`owner ${owner}`) ?? 0, this.#lastGiven.get(`tenant ${tenant}`) ?? 0] as const;
    return (long.length > 0 ? long : able).toSorted((a, b) => {
      const [ownerA, tenantA] = lastGivenTo(a);
      const [ownerB, tenantB] = lastGivenTo(b);
      return ownerA - ownerB || tenantA - tenantB;
    })[0];
  }

  /**
   * Makes one statement that has used up its time yield if others wait. Never the oldest long statement or, if none is long,
   * the oldest statement. Checks again when the next statement has used up its time.
   */
  #haveYield(): void {
    this.#cancelLook();
    this.#cancelLook = () => {};
    const [, ...others] = [...this.#running.values()].sort(
      (a, b) => Number(b.isLong) - Number(a.isLong) || (a.sinceMs < b.sinceMs ? -1 : 1),
    );
    if (this.#freePlace() !== undefined) return;
    if (others.some(({ yields }) => yields.signal.aborted)) return;
    const running = new Set([...this.#running.values()].map(({ tenant }) => tenant));
    if (!this.#waiting.some(({ isLong, tenant }) => !isLong && !running.has(tenant))) return;
    const { timer } = this.#options;
    const remainingMs = others.map((run) => {
      const idleMs = idleFactor * run.limitMs - this.#ranMs(run);
      return Math.min(idleMs, run.limitMs - this.#workedMs(run));
    });
    const leastMs = Math.min(...remainingMs);
    if (leastMs === Number.POSITIVE_INFINITY) return;
    if (leastMs > 0) this.#cancelLook = timer.after(leastMs, () => this.#haveYield());
    else others[remainingMs.indexOf(leastMs)]?.yields.abort(new Yielded());
  }

  #isLong(run: Running): boolean {
    return run.isLong || this.#workedMs(run) >= longMs;
  }

  /** How long a statement has worked: no longer than it has run, nor than its process. Negative infinity before that. */
  #workedMs(run: Running): number {
    const { place, processorMs } = run;
    const ranMs = this.#ranMs(run);
    const nowMs = processorMs === null ? null : this.#options.processorMs(place);
    return processorMs === null || nowMs === null ? ranMs : Math.min(ranMs, Math.max(0, nowMs - processorMs));
  }

  /** Negative infinity until it has a process. */
  #ranMs({ sinceMs }: Running): number {
    return this.#options.timer.nowMs() - sinceMs;
  }

  #noteGiven({ owner, tenant }: PlaceTaker): void {
    this.#given++;
    for (const key of [`owner ${owner}`, `tenant ${tenant}`]) {
      // Moves the key to the end, because the map is in the order of places given.
      this.#lastGiven.delete(key);
      this.#lastGiven.set(key, this.#given);
    }
    for (const [key, given] of this.#lastGiven) {
      if (given > this.#given - givenRemembered) break;
      this.#lastGiven.delete(key);
    }
  }
}
