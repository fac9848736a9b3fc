import { Semaphore } from '../../core/concurrency/semaphore.ts';
import { untilAborted } from '../../core/concurrency/untilAborted.ts';
import { errorCatalogue } from '../../core/errorCatalogue.ts';
import { ServiceError } from '../../core/errors.ts';
import type { TokenRunner } from '../queryQueue.ts';
import { ApartTails, partyOf } from './apartTails.ts';
import { EventSizes, readCostMax } from './eventSizes.ts';
import { isTimeout, type PartRead, partiesToBlame } from './partiesToBlame.ts';
import { type InPlace, type ReadTailServices, readTail, type TailBounds, type TailRows } from './readTail.ts';
import { ReadUnit } from './readUnit.ts';
import { type AskedRows, readTogether, SharedTails } from './sharedTails.ts';
import { type TailPlace, wholeEvent } from './tailIds.ts';
import { readOwnerOf, severalTokens, type TailPlan } from './tailPlan.ts';

/** Reads at one time, in all. The others wait here and not in the queue of queries, where they would refuse calls. */
const readsAtOnceMax = 4;

/** Those of one owner, so that the slow ones of a tenant leave places to others. */
const readsOfOwnerMax = 2;

/** What one token alone needs this long for is then read in places of slow tails, so that it only delays others of these. */
const slowMs = 500;
const slowReadsAtOnceMax = 2;
const slowReadsOfOwnerMax = 1;

/** How long tails are read apart from those of other tokens that failed, or took long, or had too many rows for all. */
const apartMs = 10 * 60_000;
const apartForSizeMs = 30_000;

/** A token has too many rows, or too large events, for all if they take this much of what is read at once. */
const bulkShare = 1 / 4;

/** A read that waits for others of the same tails. */
interface Waiting extends AskedRows {
  readonly bounds: TailBounds;
  readonly signal: AbortSignal;
  readonly resolve: (rows: TailRows | Promise<TailRows>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads the rows of tails. Those that differ only in their conditions are read with one statement, except those that made it
 * fail, slow or too large for others: for a while, a statement has only those of one token.
 */
export class TailReads {
  readonly #services: ReadTailServices;
  readonly #sizes: EventSizes;
  readonly #places = new Semaphore(readsAtOnceMax, readsOfOwnerMax);
  readonly #slowPlaces = new Semaphore(slowReadsAtOnceMax, slowReadsOfOwnerMax);
  /** Tails that can be read together, by what they have in common. */
  readonly #kinds = new Map<string, SharedTails[]>();
  readonly #sharedOf = new Map<TailPlan, SharedTails>();
  readonly #alone = new WeakMap<TailPlan, ReadUnit>();
  readonly #apart: ApartTails;
  #made = 0;
  readonly #waiting = new Map<SharedTails, Waiting[]>();
  readonly #reading = new Set<SharedTails>();

  constructor(services: ReadTailServices, sizes = new EventSizes()) {
    this.#services = services;
    this.#sizes = sizes;
    this.#apart = new ApartTails(this.#nowMs);
  }

  readonly #nowMs = (): number => this.#services.timer.nowMs();

  /** Lets a tail be read together with others, until it is removed. `runner` is that of its first reader. */
  add(plan: TailPlan, runner: TokenRunner): void {
    const kind = this.#kindOf(plan, runner);
    if (kind === null) return;
    const known = this.#kinds.get(kind) ?? [];
    this.#kinds.set(kind, known);
    const shared = known.find((each) => each.hasRoomFor(plan)) ?? new SharedTails(kind, `tails ${++this.#made}`);
    if (!known.includes(shared)) known.push(shared);
    shared.add(plan);
    this.#sharedOf.set(plan, shared);
  }

  #kindOf(plan: TailPlan, runner: TokenRunner): string | null {
    const kind = SharedTails.kindOf(plan);
    const reader = { key: plan.key, runner };
    return kind === null || !this.#apart.has(reader) ? kind : `${kind} ${partyOf(reader)}`;
  }

  remove(plan: TailPlan): void {
    const shared = this.#sharedOf.get(plan);
    if (shared === undefined) return;
    this.#sharedOf.delete(plan);
    shared.remove(plan);
    if (shared.members.length > 0) return;
    const others = (this.#kinds.get(shared.kind) ?? []).filter((each) => each !== shared);
    if (others.length === 0) this.#kinds.delete(shared.kind);
    else this.#kinds.set(shared.kind, others);
  }

  /**
   * Like `readTail`, when there is a place, and up to a lower number if all is too much for the engine. If it fails, no
   * statement for several tails has the conditions of this one until it is next read with `together`.
   */
  async alone(plan: TailPlan, from: TailPlace, to: number, bounds: TailBounds, signal: AbortSignal): Promise<TailRows> {
    const unit = this.#unitOf(plan);
    const inPlace = this.#inPlace(unit, () => plan.runner, signal);
    try {
      return await unit.size.read(
        from.arrival,
        to,
        (part) => readTail(plan, from, part, bounds, signal, this.#services, inPlace),
        this.#sizes.lastOf([plan], from.arrival, to),
      );
    } catch (error) {
      if (mayBeOfOne(error)) this.remove(plan);
      throw error;
    }
  }

  #unitOf(plan: TailPlan): ReadUnit {
    const unit = this.#alone.get(plan) ?? new ReadUnit();
    this.#alone.set(plan, unit);
    return unit;
  }

  /**
   * Runs the reads of a statement one after another, each in a place: between two of them, others may take it. The engine may
   * still run one that was given up.
   */
  #inPlace(unit: ReadUnit, runner: () => TokenRunner, signal: AbortSignal): InPlace {
    return async (run) => {
      if (unit.running !== null) await untilAborted(unit.running, signal);
      const reader = runner();
      const isSlow = unit.lastMs >= slowMs && reader.id !== severalTokens;
      const places = isSlow ? this.#slowPlaces : this.#places;
      return await places.run(() => unit.timed(this.#nowMs, run), { owner: readOwnerOf(reader), signal });
    };
  }

  /** The same, together with other tails that are read at the same time. */
  together(plan: TailPlan, from: TailPlace, to: number, bounds: TailBounds, signal: AbortSignal): Promise<TailRows> {
    const shared = this.#groupOf(plan);
    if (shared === undefined || from.row !== wholeEvent) return this.alone(plan, from, to, bounds, signal);
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(shared) ?? [];
      if (waiting.length === 0) this.#readSoon(shared);
      waiting.push({ plan, from, to, bounds, signal, resolve, reject });
      this.#waiting.set(shared, waiting);
    });
  }

  /** The tails with which one is now read: others if it is, or is no longer, kept apart. */
  #groupOf(plan: TailPlan): SharedTails | undefined {
    const { runner } = plan;
    const kind = this.#kindOf(plan, runner);
    if ((this.#sharedOf.get(plan)?.kind ?? null) !== kind) {
      this.remove(plan);
      this.add(plan, runner);
    }
    return this.#sharedOf.get(plan);
  }

  #readSoon(shared: SharedTails): void {
    // The others of this turn ask before it ends.
    if (!this.#reading.has(shared)) setImmediate(() => void this.#readWaiting(shared));
  }

  /** Those that ask while others are read are read together afterwards, as the statement computes the conditions of all. */
  async #readWaiting(shared: SharedTails): Promise<void> {
    const asked = this.#waiting.get(shared) ?? [];
    this.#waiting.delete(shared);
    this.#reading.add(shared);
    await this.#read(shared, asked);
    this.#reading.delete(shared);
    if (this.#waiting.has(shared)) this.#readSoon(shared);
  }

  /** Resolves when others may be read. */
  async #read(shared: SharedTails, asked: readonly Waiting[]): Promise<void> {
    // A read that was given up may have left it, and the rows of others do not wait for it.
    if (asked.length === 1 || shared.isInParts(this.#nowMs()) || shared.unit.running !== null) {
      void this.#readParts(shared, asked);
      return;
    }
    this.#keepLargeApart(asked);
    try {
      const shares = await this.#readOnce(shared, asked);
      shared.noteRead(shared.unit.lastMs >= slowMs);
      if (shares !== null) this.#keepBulkApart(asked, (own) => sumOf(own, (each) => shares.get(each) ?? 0));
    } catch (error) {
      if (mayBeOfOne(error)) void this.#readParts(shared, asked, error);
      else for (const { reject } of asked) reject(error);
    }
  }

  /** Reads tails with one statement. Returns `TogetherRows.shares`. */
  async #readOnce(shared: SharedTails, asked: readonly Waiting[]): Promise<ReadonlyMap<Waiting, number> | null> {
    const bounds = asked[0]?.bounds ?? noBounds;
    const inPlace = this.#inPlace(shared.unit, () => shared.runner, shared.signal);
    const read = await readTogether(shared, asked, bounds, this.#services, this.#sizes, inPlace);
    for (const [i, each] of asked.entries()) each.resolve(read?.rows[i] ?? this.#aloneAs(each));
    const { shares = null } = read ?? {};
    return shares === null ? null : new Map(asked.map((each, i) => [each, shares[i] ?? 0]));
  }

  /** Notes tokens for whose events alone others would be read in small steps. */
  #keepLargeApart(asked: readonly Waiting[]): void {
    const after = Math.min(...asked.map(({ from }) => from.arrival));
    const to = Math.max(...asked.map((each) => each.to));
    const last = this.#sizes.lastOf(plansOf(asked), after, to);
    if (last === to) return;
    this.#keepBulkApart(asked, (own) => this.#sizes.costOf(plansOf(own), after, last) / readCostMax);
  }

  /** From the next read on, others do not wait for tokens with this share of what is read at once. */
  #keepBulkApart(asked: readonly Waiting[], shareOf: (own: readonly Waiting[]) => number): void {
    const parties = byParty(asked);
    if (parties.size === 1) return;
    for (const own of parties.values()) {
      if (shareOf(own) >= bulkShare) for (const { plan } of own) this.#apart.add(plan, apartForSizeMs);
    }
  }

  /**
   * Reads the tails of each token apart, or each alone if all are of one token: all together failed, with an error if there is
   * one, or were slow. Those to blame are then read so for a while.
   */
  async #readParts(shared: SharedTails, asked: readonly Waiting[], failure?: unknown): Promise<void> {
    const parties = byParty(asked);
    const isOfOne = parties.size === 1;
    const parts = isOfOne ? asked.map((each) => [each]) : [...parties.values()];
    const endParts = asked.length > 1 ? shared.beginParts() : () => {};
    const allMs = shared.unit.lastMs;
    const reads = await Promise.all(parts.map((part) => this.#readPart(shared, part)));
    endParts();
    const toBlame = partiesToBlame(reads, allMs);
    if (!isOfOne) for (const { plan } of toBlame.flat()) this.#apart.add(plan, apartMs);
    const isFound = toBlame.length > 0;
    if (asked.length > 1) shared.noteParts(isFound);
    const isUnexplained = failure !== undefined && !isTimeout(failure) && !isFound;
    if (isUnexplained || (isOfOne && isFound)) shared.readInParts(this.#nowMs() + apartMs);
  }

  async #readPart(shared: SharedTails, asked: readonly Waiting[]): Promise<PartRead<readonly Waiting[]>> {
    const [first, ...others] = asked;
    if (first === undefined) return { party: asked, ms: 0, error: undefined };
    if (others.length === 0) {
      const read = this.#aloneAs(first);
      first.resolve(read);
      const error = await failureOf(read);
      return partRead(asked, this.#unitOf(first.plan), error);
    }
    const part = shared.part(partyOf(first.plan));
    const error = await failureOf(this.#readOnce(part, asked));
    const read = partRead(asked, part.unit, error);
    for (const each of error === undefined ? [] : asked) {
      if (mayBeOfOne(error)) each.resolve(this.#aloneAs(each));
      else each.reject(error);
    }
    return read;
  }

  #aloneAs({ plan, from, to, bounds, signal }: Waiting): Promise<TailRows> {
    return this.alone(plan, from, to, bounds, signal);
  }
}

const plansOf = (asked: readonly Waiting[]): readonly TailPlan[] => asked.map(({ plan }) => plan);

const noBounds: TailBounds = { rowsMax: 0, bytesMax: 0 };

const failureOf = (read: Promise<unknown>): Promise<unknown> =>
  read.then(
    () => undefined,
    (error: unknown) => error ?? new Error('a tail could not be read'),
  );

/** An error that is not of the tails says nothing about them. */
function partRead(party: readonly Waiting[], { lastMs }: ReadUnit, error: unknown): PartRead<readonly Waiting[]> {
  return error === undefined || mayBeOfOne(error) ? { party, ms: lastMs, error } : { party, ms: 0, error: undefined };
}

const sumOf = <T>(all: readonly T[], of: (each: T) => number): number => all.reduce((sum, each) => sum + of(each), 0);

function byParty(asked: readonly Waiting[]): ReadonlyMap<string, readonly Waiting[]> {
  const parties = new Map<string, Waiting[]>();
  for (const each of asked) {
    const party = partyOf(each.plan);
    parties.set(party, [...(parties.get(party) ?? []), each]);
  }
  return parties;
}

/** Errors of a run that may not repeat, although a caller should not send the same call again. */
export const passing: ReadonlySet<ServiceError['code']> = new Set(['query.timeout', 'query.memory', 'engine.failed']);

/** Whether the reason of an error may be one of several tails, so that the others can be read. */
function mayBeOfOne(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.code === 'query.cancelled') return false;
  const { code } = error;
  return !errorCatalogue[code].retryable || code === 'engine.failed' || code === 'query.held_back';
}
