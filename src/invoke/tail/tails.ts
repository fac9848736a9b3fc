import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { mayTakePlace } from '../../core/concurrency/fairPlaces.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Observe } from '../../core/observation.ts';
import type { CommittedEvents } from '../../ports/eventLog.ts';
import type { EngineCapabilities } from '../../ports/storageEngine.ts';
import type { CallFacts } from '../callFacts.ts';
import { withinLimit } from '../withinLimit.ts';
import { EventSizes } from './eventSizes.ts';
import { type TailFormat, tailWriter } from './tailFormat.ts';
import { type NewEvents, TailGroup, type TailGroupServices, type TailMember } from './tailGroup.ts';
import { type TailPlace, tailHashBytes, type UnusableId, wholeEvent } from './tailIds.ts';
import type { TailPlan } from './tailPlan.ts';
import { TailReader } from './tailReader.ts';
import { TailReads } from './tailReads.ts';

/** Open tails: of one token, and in all. */
export const tailsMax = { ofToken: 10, all: 500 } as const;

/** How often to look for new rows, and to check the rights of each caller. */
const tickMs = 250;

export interface TailsServices extends Omit<TailGroupServices, 'reads'> {
  readonly engineEvents: Pick<EngineCapabilities, 'lastArrival' | 'reachArrival' | 'watchCommits'>;
  readonly observe: Observe;
}

/** A tail that is about to begin. */
export interface TailOpening extends Pick<TailMember, 'tokenId' | 'placeOwner' | 'requireRights'> {
  readonly plan: TailPlan;
  readonly format: TailFormat;
  /** The ID after which it goes on; null to begin with the next event. */
  readonly lastEventId: string | null;
  /** The data of its event `start`. */
  readonly start: object;
  readonly facts: CallFacts;
  /** Aborted when the caller leaves before the tail begins. */
  readonly signal: AbortSignal;
}

/** All open tails of the process. */
export class Tails {
  readonly #services: TailsServices & TailGroupServices;
  readonly #groups = new Map<string, TailGroup>();
  /** What was added since the last tick; null if that is unknown. */
  #events: Map<string, Set<string>> | null = new Map();
  readonly #sizes = new EventSizes();
  /** The number up to which commits were noted. */
  #noted = 0;
  #openCount = 0;
  #cancelTick: (() => void) | null = null;
  #unwatch = () => {};
  #ending: ServiceError | null = null;

  constructor(services: TailsServices) {
    this.#services = { ...services, reads: new TailReads(services, this.#sizes) };
  }

  get openCount(): number {
    return this.#openCount;
  }

  /** Throws `tail.unsupported` if the engine does not say when new events are there. */
  requireSupport(): void {
    const { lastArrival, watchCommits } = this.#services.engineEvents;
    if (lastArrival !== undefined && watchCommits !== undefined) return;
    throw new ServiceError(
      'tail.unsupported',
      'The engine of this service does not report new events, so results cannot be tailed. Call the endpoint repeatedly instead.',
    );
  }

  /** Throws `tail.too_many`, `tail.overloaded` or `service.draining` if no tail of the token can begin now. */
  requireRoom({ tokenId, placeOwner }: Pick<TailMember, 'tokenId' | 'placeOwner'>): void {
    if (this.#ending !== null) throw this.#ending;
    const open = [...this.#groups.values()].flatMap(({ members }) => [...members]);
    if (open.filter((member) => member.tokenId === tokenId).length >= tailsMax.ofToken) {
      throw new ServiceError(
        'tail.too_many',
        `This token has ${tailsMax.ofToken} open tails, which is the most. Close one, or share one among several readers.`,
        { retryAfterSeconds: 5 },
      );
    }
    const own = open.filter((member) => member.placeOwner === placeOwner).length;
    if (mayTakePlace({ all: tailsMax.all, taken: this.#openCount, own })) return;
    throw new ServiceError(
      'tail.overloaded',
      this.#openCount < tailsMax.all
        ? `Tokens for the same projects already have ${own} open tails, and the service keeps the other places for others. Close some, or try again later.`
        : `The service has ${tailsMax.all} open tails, which is the most. Try again later.`,
      { retryAfterSeconds: 30 },
    );
  }

  /**
   * Begins a tail and returns what it sends. Throws the errors of `requireSupport` and `requireRoom`, those of
   * `reachArrival`, `service.store_unavailable`, and `query.timeout` if the store answers later than the query may take.
   */
  async open(opening: TailOpening): Promise<Readable> {
    this.requireSupport();
    const { clock, timer, observe } = this.#services;
    const { plan, facts } = opening;
    const hash = createHash('sha256').update(plan.key).digest().subarray(0, tailHashBytes);
    const limit = { timeoutMs: plan.timeoutMs, signal: opening.signal };
    const { write, resumed } = await withinLimit(this.#findPlace(opening, hash), limit, timer);
    // Nothing is awaited from here on, so that the tail misses no commit, and no other one takes its room.
    this.requireRoom(opening);
    const now: TailPlace = { arrival: this.#lastArrival, row: wholeEvent };
    const { place, how } = beginning(resumed, now);
    const reader: TailReader = new TailReader(place, {
      writer: tailWriter(opening.format),
      idOf: (each) => write(each, hash, clock.nowMicros()),
      nowMs: () => timer.nowMs(),
      nowMicros: () => clock.nowMicros(),
      facts,
      onDropped: (rows) => observe({ kind: 'tail.dropped', rows }),
      onClosed: () => this.#closed(plan.key, reader),
    });
    const group = this.#groups.get(plan.key) ?? this.#begin(plan, hash, now);
    group.add({
      reader,
      tokenId: opening.tokenId,
      placeOwner: opening.placeOwner,
      runner: plan.runner,
      requestId: plan.requestIds[0] ?? '',
      requireRights: opening.requireRights,
    });
    this.#openCount += 1;
    this.#watch();
    reader.begin(opening.start, how);
    return reader.stream;
  }

  /** Ends all tails, and refuses new ones. */
  close(): void {
    this.#ending = new ServiceError(
      'service.draining',
      'The service is shutting down. Connect to another node, or connect again later with the last ID.',
    );
    for (const { members } of [...this.#groups.values()]) {
      for (const { reader } of [...members]) reader.end(this.#ending);
    }
  }

  #begin(plan: TailPlan, hash: Buffer, now: TailPlace): TailGroup {
    const group = new TailGroup(plan, hash, now, this.#services);
    this.#groups.set(plan.key, group);
    this.#services.reads.add(group.plan, plan.runner);
    return group;
  }

  /** Reads the ID from which a tail goes on, and lets the engine learn of the events up to there. */
  async #findPlace({ lastEventId }: Pick<TailOpening, 'lastEventId'>, hash: Buffer) {
    const { ids, clock, engineEvents } = this.#services;
    const write = await ids.writer();
    const resumed = lastEventId === null ? null : await ids.read(lastEventId, hash, clock.nowMicros());
    // The ID may be of another process, which knew of later events.
    const reached = resumed === null || typeof resumed === 'string' ? null : resumed.arrival;
    await engineEvents.reachArrival?.(reached);
    return { write, resumed };
  }

  get #lastArrival(): number {
    return this.#services.engineEvents.lastArrival?.() ?? 0;
  }

  #closed(key: string, reader: TailReader): void {
    this.#openCount -= 1;
    const group = this.#groups.get(key);
    if (group?.remove(reader) === true) {
      this.#groups.delete(key);
      this.#services.reads.remove(group.plan);
    }
    if (this.#openCount > 0) return;
    this.#cancelTick?.();
    this.#cancelTick = null;
    this.#unwatch();
    this.#events = new Map();
  }

  #watch(): void {
    if (this.#cancelTick !== null) return;
    const { engineEvents, timer } = this.#services;
    this.#noted = this.#lastArrival;
    this.#unwatch = engineEvents.watchCommits?.((commit) => this.#note(commit)) ?? (() => {});
    this.#cancelTick = timer.after(tickMs, () => this.#tick());
  }

  #note(commit: readonly CommittedEvents[] | null): void {
    const last = this.#lastArrival;
    if (commit !== null) this.#sizes.add(this.#noted, last, commit);
    this.#noted = last;
    if (commit === null) this.#events = null;
    if (commit === null || this.#events === null) return;
    for (const { source, projects } of commit) {
      const known = this.#events.get(source) ?? new Set();
      this.#events.set(source, known);
      for (const project of projects.keys()) known.add(project);
    }
  }

  #tick(): void {
    this.#cancelTick = this.#services.timer.after(tickMs, () => this.#tick());
    // Both at once: the events are exactly those up to the number that no earlier tick had.
    const events: NewEvents = this.#events;
    const last = this.#lastArrival;
    this.#events = new Map();
    for (const group of [...this.#groups.values()]) group.tick(events, last);
  }
}

/** Where a tail begins, and how. */
function beginning(
  resumed: TailPlace | UnusableId | null,
  now: TailPlace,
): { readonly place: TailPlace; readonly how: 'new' | 'resumed' | UnusableId } {
  if (resumed === null) return { place: now, how: 'new' };
  if (typeof resumed === 'string') return { place: now, how: resumed };
  // An older copy of the data was restored.
  if (resumed.arrival > now.arrival) return { place: now, how: 'unknown' };
  return { place: resumed, how: 'resumed' };
}
