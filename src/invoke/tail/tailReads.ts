import { Semaphore } from '../../core/concurrency/semaphore.ts';
import { errorCatalogue } from '../../core/errorCatalogue.ts';
import { ServiceError } from '../../core/errors.ts';
import type { TokenRunner } from '../queryQueue.ts';
import { FailedTails } from './failedTails.ts';
import { ReadSize } from './readSize.ts';
import { type ReadTailServices, readTail, type TailBounds, type TailRows } from './readTail.ts';
import { type AskedRows, readTogether, SharedTails } from './sharedTails.ts';
import { type TailPlace, wholeEvent } from './tailIds.ts';
import { readOwnerOf, type TailPlan } from './tailPlan.ts';

/** Reads at one time, in all. The others wait here and not in the queue of queries, where they would refuse calls. */
const readsAtOnceMax = 4;

/** Those of one owner, so that the slow ones of a tenant leave places to others. */
const readsOfOwnerMax = 2;

/** A tail whose read takes this long is then read in places of slow tails, so that it only delays others of these. */
const slowMs = 500;
const slowReadsAtOnceMax = 2;
const slowReadsOfOwnerMax = 1;

/** A read that waits for others of the same tails. */
interface Waiting extends AskedRows {
  readonly bounds: TailBounds;
  readonly signal: AbortSignal;
  readonly resolve: (rows: TailRows | Promise<TailRows>) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads the rows of tails. Those that differ only in their conditions are read with one statement. */
export class TailReads {
  readonly #services: ReadTailServices;
  readonly #places = new Semaphore(readsAtOnceMax, readsOfOwnerMax);
  readonly #slowPlaces = new Semaphore(slowReadsAtOnceMax, slowReadsOfOwnerMax);
  /** Tails whose last read alone took long. */
  readonly #slow = new WeakSet<TailPlan>();
  /** Tails that are not read together with others until they could be read again. */
  readonly #away = new WeakSet<TailPlan>();
  /** Tails that can be read together, by what they have in common. */
  readonly #kinds = new Map<string, SharedTails[]>();
  readonly #sharedOf = new Map<TailPlan, SharedTails>();
  /** What the engine can read at once for a tail that is read alone. */
  readonly #sizes = new WeakMap<TailPlan, ReadSize>();
  readonly #failed: FailedTails;
  #made = 0;
  #waiting = new Map<SharedTails, Waiting[]>();

  constructor(services: ReadTailServices) {
    this.#services = services;
    this.#failed = new FailedTails(() => services.timer.nowMs());
  }

  /** Lets a tail be read together with others, until it is removed. `runner` is that of its first reader. */
  add(plan: TailPlan, runner: TokenRunner): void {
    const kind = SharedTails.kindOf(plan);
    if (kind === null || this.#failed.has({ key: plan.key, runner })) return;
    const known = this.#kinds.get(kind) ?? [];
    this.#kinds.set(kind, known);
    const shared = known.find((each) => each.hasRoomFor(plan)) ?? new SharedTails(`tails ${++this.#made}`);
    if (!known.includes(shared)) known.push(shared);
    shared.add(plan);
    this.#sharedOf.set(plan, shared);
  }

  remove(plan: TailPlan): void {
    this.#away.delete(plan);
    this.#leave(plan);
  }

  #leave(plan: TailPlan): void {
    const shared = this.#sharedOf.get(plan);
    if (shared === undefined) return;
    this.#sharedOf.delete(plan);
    shared.remove(plan);
    if (shared.members.length === 0) this.#forget(shared);
  }

  /**
   * Like `readTail`, when there is a place, and up to a lower number if all is too much for the engine. If it fails, no
   * statement for several tails has the conditions of this one until it is next read with `together`.
   */
  async alone(plan: TailPlan, from: TailPlace, to: number, bounds: TailBounds, signal: AbortSignal): Promise<TailRows> {
    try {
      return await this.#readAlone(plan, from, to, bounds, signal);
    } catch (error) {
      if (mayBeOfOne(error) && this.#sharedOf.has(plan)) {
        this.#leave(plan);
        this.#away.add(plan);
      }
      throw error;
    }
  }

  #readAlone(plan: TailPlan, from: TailPlace, to: number, bounds: TailBounds, signal: AbortSignal): Promise<TailRows> {
    const size = this.#sizes.get(plan) ?? new ReadSize();
    this.#sizes.set(plan, size);
    // Between two tries, others may take the place.
    return size.read(from.arrival, to, (part) =>
      readTail(plan, from, part, bounds, signal, this.#services, (run) => this.#inPlace(plan, run, signal)),
    );
  }

  #inPlace<T>(plan: TailPlan, run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const places = this.#slow.has(plan) ? this.#slowPlaces : this.#places;
    const timed = async () => {
      const sinceMs = this.#services.timer.nowMs();
      try {
        return await run();
      } finally {
        if (this.#services.timer.nowMs() - sinceMs >= slowMs) this.#slow.add(plan);
        else this.#slow.delete(plan);
      }
    };
    return places.run(timed, { owner: readOwnerOf(plan.runner), signal });
  }

  /** The same, together with other tails that are read at the same time. */
  together(plan: TailPlan, from: TailPlace, to: number, bounds: TailBounds, signal: AbortSignal): Promise<TailRows> {
    if (this.#away.delete(plan)) this.add(plan, plan.runner);
    const shared = this.#sharedOf.get(plan);
    if (shared === undefined || from.row !== wholeEvent) return this.alone(plan, from, to, bounds, signal);
    return new Promise((resolve, reject) => {
      // The others of this turn ask before it ends.
      if (this.#waiting.size === 0) setImmediate(() => this.#readWaiting());
      const waiting = this.#waiting.get(shared) ?? [];
      waiting.push({ plan, from, to, bounds, signal, resolve, reject });
      this.#waiting.set(shared, waiting);
    });
  }

  #readWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [shared, asked] of waiting) void this.#read(shared, asked);
  }

  async #read(shared: SharedTails, asked: readonly Waiting[]): Promise<void> {
    const [first, ...others] = asked;
    if (first === undefined) return;
    if (others.length === 0) {
      first.resolve(this.#aloneAs(first));
      return;
    }
    try {
      const all = await readTogether(shared, asked, first.bounds, this.#services, (run) =>
        this.#places.run(run, { owner: readOwnerOf(shared.runner), signal: shared.signal }),
      );
      for (const [i, each] of asked.entries()) each.resolve(all?.[i] ?? this.#aloneAs(each));
    } catch (error) {
      if (mayBeOfOne(error)) await this.#readEach(shared, asked, isTimeout(error));
      else for (const { reject } of asked) reject(error);
    }
  }

  /**
   * Reads each alone, as one of them failed. Those that fail are not read together any more; if none does, each half is from
   * now on, or after a few times if the reason was time: then those that are slow have failed too. If all take too long, the
   * reason is none of them: there are too many events, of which each reads fewer next.
   */
  async #readEach(shared: SharedTails, asked: readonly Waiting[], tookTooLong: boolean): Promise<void> {
    const ended = await Promise.all(
      asked.map(async (each) => {
        const read = this.#aloneAs(each);
        each.resolve(read);
        const failure = await read.then(
          () => (tookTooLong && this.#slow.has(each.plan) ? { isTime: true } : null),
          (error: unknown) => ({ isTime: isTimeout(error) }),
        );
        return { plan: each.plan, failure };
      }),
    );
    if (ended.every(({ failure }) => failure?.isTime === true)) return;
    const failed = ended.filter(({ failure }) => failure !== null);
    for (const { plan } of failed) {
      this.#failed.add(plan);
      this.remove(plan);
    }
    if (failed.length === 0 && (!tookTooLong || shared.tookTooLong())) this.#split(shared);
  }

  #aloneAs({ plan, from, to, bounds, signal }: Waiting): Promise<TailRows> {
    return this.alone(plan, from, to, bounds, signal);
  }

  #split(shared: SharedTails): void {
    const [plan] = shared.members;
    const kind = plan === undefined ? null : SharedTails.kindOf(plan);
    if (kind === null || !this.#forget(shared)) return;
    for (const half of shared.halves()) {
      if (half.members.length > 1) this.#kinds.set(kind, [...(this.#kinds.get(kind) ?? []), half]);
      for (const member of half.members) {
        if (half.members.length > 1) this.#sharedOf.set(member, half);
        else this.#sharedOf.delete(member);
      }
    }
  }

  /** Returns whether it was there. */
  #forget(shared: SharedTails): boolean {
    for (const [kind, known] of this.#kinds) {
      if (!known.includes(shared)) continue;
      const others = known.filter((each) => each !== shared);
      if (others.length === 0) this.#kinds.delete(kind);
      else this.#kinds.set(kind, others);
      return true;
    }
    return false;
  }
}

/** Errors of a run that may not repeat, although a caller should not send the same call again. */
export const passing: ReadonlySet<ServiceError['code']> = new Set(['query.timeout', 'query.memory', 'engine.failed']);

function isTimeout(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'query.timeout';
}

/** Whether the reason of an error may be one of several tails, so that the others can be read. */
function mayBeOfOne(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const { code } = error;
  return !errorCatalogue[code].retryable || code === 'engine.failed' || code === 'query.held_back';
}
