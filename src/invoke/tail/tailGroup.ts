import { errorCatalogue } from '../../core/errorCatalogue.ts';
import { asServiceError, ServiceError } from '../../core/errors.ts';
import type { TokenRunner } from '../queryQueue.ts';
import type { ReadTailServices, TailBounds, TailRows } from './readTail.ts';
import { TailBatch } from './tailBatch.ts';
import { isAfter, type TailIds, type TailPlace, wholeEvent } from './tailIds.ts';
import { commonRunner, type TailPlan } from './tailPlan.ts';
import type { TailReader } from './tailReader.ts';
import { passing, type TailReads } from './tailReads.ts';

/** A tail of a group. */
export interface TailMember {
  readonly reader: TailReader;
  /** Public ID of its token. */
  readonly tokenId: string;
  /** The owner of its place (`placeOwnerOf`). */
  readonly placeOwner: string;
  /** As whom its token runs queries. */
  readonly runner: TokenRunner;
  /** ID of the request that opened it. */
  readonly requestId: string;
  /** Throws a ServiceError if the caller may not read the rows any more. */
  requireRights(): Promise<void>;
}

interface Held extends TailMember {
  isCatchingUp: boolean;
  failingSinceMs: number | null;
}

/** What commits added, as `watchCommits` reports it: projects by source; null if that is unknown. */
export type NewEvents = ReadonlyMap<string, ReadonlySet<string>> | null;

export interface TailGroupServices extends ReadTailServices {
  readonly ids: TailIds;
  /** Most bytes of rows that are read at once. */
  readonly resultBytesMax: number;
  /** Those of all groups. */
  readonly reads: TailReads;
}

/** Reading and writing this many takes the main thread some ten milliseconds. */
const sharedBounds: TailBounds = { rowsMax: 2_000, bytesMax: 2 * 2 ** 20 };
/** Not many more than the queue of a reader takes. */
const ownBounds: TailBounds = { rowsMax: 500, bytesMax: 512 * 1024 };

/** How long reading may fail, for reasons that pass, until tails end. */
const failingMsMax = 30_000;

/** Tails with the same rows, which are read once for all of them. */
export class TailGroup {
  /** Its rows are read as the token of those who are there, or on its own account if they have several. */
  readonly plan: TailPlan;
  readonly #hash: Buffer;
  readonly #services: TailGroupServices;
  readonly #members = new Set<Held>();
  readonly #abort = new AbortController();
  /** Everything up to here was given to the members, or is being given. */
  #place: TailPlace;
  /** Whether there may be rows after the place. */
  #isDirty = false;
  #isReading = false;
  #isGiving = false;
  #failingSinceMs: number | null = null;

  /** `hash`: that of the tail in IDs. */
  constructor(plan: TailPlan, hash: Buffer, place: TailPlace, services: TailGroupServices) {
    const runner = () => this.#runner();
    const members = this.#members;
    this.plan = {
      ...plan,
      get runner() {
        return runner();
      },
      get requestIds() {
        return [...members].map(({ requestId }) => requestId);
      },
    };
    this.#hash = hash;
    this.#place = place;
    this.#services = services;
  }

  #runner(): TokenRunner {
    return commonRunner(
      [...this.#members].map(({ runner }) => runner),
      `tail ${this.#hash.toString('hex')}`,
    );
  }

  get members(): ReadonlySet<TailMember> {
    return this.#members;
  }

  add(member: TailMember): void {
    this.#members.add({ ...member, isCatchingUp: false, failingSinceMs: null });
  }

  /** Returns whether it was the last one. */
  remove(reader: TailReader): boolean {
    for (const member of this.#members) if (member.reader === reader) this.#members.delete(member);
    if (this.#members.size > 0) return false;
    this.#abort.abort(new ServiceError('query.cancelled', 'The last tail of these rows was closed.'));
    return true;
  }

  /**
   * Does what is due: reads rows if new events up to the number `last` may have some, and checks each tail. Never rejects.
   */
  tick(events: NewEvents, last: number): void {
    this.#isDirty ||= this.#concern(events);
    if (!this.#isReading && this.#isDirty) void this.#read(last);
    else if (!this.#isReading) this.#place = later(this.#place, { arrival: last, row: wholeEvent });
    for (const member of this.#members) {
      if (member.reader.isEnded) member.reader.leaveIfLate();
      else void this.#lookAfter(member);
    }
  }

  #concern(events: NewEvents): boolean {
    if (events === null) return true;
    const { wakes, tailed } = this.plan;
    for (const source of tailed.sources) {
      const projects = events.get(source);
      if (projects === undefined) continue;
      if (wakes === null || wakes.some((project) => projects.has(project))) return true;
    }
    return false;
  }

  async #read(last: number): Promise<void> {
    this.#isReading = true;
    this.#isDirty = false;
    try {
      for (let isCut = true; isCut && this.#members.size > 0; ) {
        const read = await this.#rowsAfter(this.#place, last, sharedBounds, this.#failingSinceMs === null);
        isCut = read.isCut;
        await this.#give(read);
      }
      this.#failingSinceMs = null;
    } catch (thrown) {
      // The next tick tries again, from the same place.
      this.#isDirty = true;
      const error = asServiceError(thrown);
      this.#failingSinceMs ??= this.#services.timer.nowMs();
      if (this.#isLasting(error, this.#failingSinceMs)) {
        for (const { reader } of this.#members) reader.end(error);
      }
    } finally {
      this.#isReading = false;
    }
  }

  /** `isTogether`: whether other groups may be read at the same time. */
  async #rowsAfter(from: TailPlace, to: number, bounds: TailBounds, isTogether: boolean): Promise<TailRows> {
    const { reads } = this.#services;
    const read = (within: TailBounds) =>
      isTogether && within === bounds
        ? reads.together(this.plan, from, to, within, this.#abort.signal)
        : reads.alone(this.plan, from, to, within, this.#abort.signal);
    try {
      return await read(bounds);
    } catch (error) {
      const bytesMax = this.#services.resultBytesMax;
      const isTooLarge = error instanceof ServiceError && error.code === 'tail.row_too_large';
      if (!isTooLarge || bytesMax <= bounds.bytesMax) throw error;
      return await read({ ...bounds, bytesMax });
    }
  }

  /**
   * Gives rows to the members. The place is set first: a member that is behind must then read up to there itself, and one that
   * has done so already leaves the rows out.
   */
  async #give(read: TailRows): Promise<void> {
    const batch = await this.#batch(read);
    this.#place = read.end;
    this.#isGiving = true;
    const give = async ({ reader, requireRights }: Held) => {
      if (await isAllowed(reader, requireRights)) reader.take(batch);
    };
    try {
      await Promise.all([...this.#members].map(give));
    } finally {
      this.#isGiving = false;
    }
  }

  async #batch(read: Pick<TailRows, 'rows' | 'end'>): Promise<TailBatch> {
    const idOf = await this.#services.ids.writer();
    const nowMicros = this.#services.clock.nowMicros();
    return new TailBatch(read, (place) => idOf(place, this.#hash, nowMicros));
  }

  async #lookAfter(member: Held): Promise<void> {
    const { reader, requireRights } = member;
    if (!(await isAllowed(reader, requireRights))) return;
    // While rows are given, those that a member has not got yet are before the place.
    if (!this.#isGiving) reader.look(this.#place);
    if (!reader.needsRows || member.isCatchingUp) return;
    member.isCatchingUp = true;
    try {
      await this.#catchUp(member);
      member.failingSinceMs = null;
    } catch (thrown) {
      const error = asServiceError(thrown);
      member.failingSinceMs ??= this.#services.timer.nowMs();
      if (this.#isLasting(error, member.failingSinceMs)) reader.end(error);
    } finally {
      member.isCatchingUp = false;
    }
  }

  async #catchUp({ reader, requireRights }: Held): Promise<void> {
    while (reader.needsRows) {
      const to = this.#place;
      const nothing: TailRows = { rows: [], end: to, isCut: false };
      const read = isAfter(to, reader.place)
        ? await this.#rowsAfter(reader.place, to.arrival, ownBounds, false)
        : nothing;
      const batch = await this.#batch(read);
      if (await isAllowed(reader, requireRights)) reader.catchUp(batch, this.#place);
    }
  }

  #isLasting({ code }: ServiceError, sinceMs: number): boolean {
    const mayPass = errorCatalogue[code].retryable || passing.has(code);
    return !mayPass || this.#services.timer.nowMs() - sinceMs >= failingMsMax;
  }
}

/** Whether the caller may still read the rows. If not, the tail is ended. */
async function isAllowed(reader: TailReader, requireRights: () => Promise<void>): Promise<boolean> {
  try {
    await requireRights();
    return !reader.isEnded;
  } catch (error) {
    reader.end(asServiceError(error));
    return false;
  }
}

function later(a: TailPlace, b: TailPlace): TailPlace {
  return isAfter(b, a) ? b : a;
}
