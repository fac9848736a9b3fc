import { FailureReports } from '../../core/failureReports.ts';
import type { Timer } from '../../core/timer.ts';
import { type ChangeFeed, type Generations, type SharedSubject, sharedSubjects } from '../../ports/changeFeed.ts';
import type { StoreContact } from '../../ports/storeContact.ts';
import type { GenerationSource } from '../sql/generationSource.ts';
import { storeUnavailable } from './postgresError.ts';

/** A change count as the store has it. */
export interface StoredCount {
  readonly generation: number;
  /** Another one for each change, in every history of the store. */
  readonly mark: string;
}

export interface FollowedInputs {
  /** Reads all change counts, soon or not at all. Rejects if this node may no longer use the store. */
  readonly readAll: () => Promise<ReadonlyMap<string, StoredCount>>;
  readonly timer: Timer;
  /** How long calls go on with what is known while the store does not answer. */
  readonly staleMsMax: number;
  readonly lost: (cause: unknown) => void;
  readonly recovered: (awayMs: number) => void;
  /** Called about once a minute while it is lost. */
  readonly stillLost: (awayMs: number, cause: unknown) => void;
  /** Called if the store has another history than before, because an older copy was restored. */
  readonly wentBack: () => void;
}

/** A read that is younger answers without another one. With ChangeWatch's half second, a change is seen within a second. */
const freshMs = 200;
/** How often the counts are read when nothing asks, because a notification can be missed. */
const pollMs = 500;

/** A count as this node knows it. The mark of its own change is null until the store tells it. */
interface KnownCount {
  readonly generation: number;
  readonly mark: string | null;
}

const neverChanged: StoredCount = { generation: 0, mark: '' };

/**
 * The change counts of a store that other nodes change too: kept current by notifications, and by reading them all where
 * one was missed. While the store does not answer, it gives the last known counts, so calls go on with what this node
 * has in memory, but not for longer than `staleMsMax`: this node cannot know what was revoked meanwhile.
 *
 * If an older copy of the store was restored, its counts go back, and can reach the known ones again by other changes.
 * Then every count that is given from then on is higher than all before, so that nothing in memory counts as current.
 */
export class FollowedGenerations implements GenerationSource, ChangeFeed {
  readonly #inputs: FollowedInputs;
  readonly #known = new Map<SharedSubject, KnownCount>();
  readonly #heard = new Map<SharedSubject, number>();
  readonly #listeners = new Map<SharedSubject, () => void>();
  /** Added to the counts of the store, so that those given never go back. */
  #added = 0;
  #interruptions = 0;
  readonly #reports: FailureReports;
  /** When the last successful read began. */
  #confirmedMs: number;
  #lostMs: number | undefined;
  #reading: Promise<void> | undefined;
  #cancelPoll: () => void = () => undefined;
  #isClosed = false;

  /** The counts must be read once (`refresh`) before they are used. */
  constructor(inputs: FollowedInputs) {
    this.#inputs = inputs;
    this.#confirmedMs = Number.NEGATIVE_INFINITY;
    this.#reports = new FailureReports(inputs.timer);
  }

  get contact(): StoreContact {
    const ageMs = this.#inputs.timer.nowMs() - this.#confirmedMs;
    return { isAway: this.#lostMs !== undefined, ageMs, isTooOld: ageMs > this.#inputs.staleMsMax };
  }

  /** How often this node may have missed what the store held: it did not answer, or went back. */
  get interruptions(): number {
    return this.#interruptions;
  }

  /** Reads the counts at once and then regularly. Rejects if the first read fails. */
  async start(): Promise<void> {
    await this.#readOnce();
    this.#pollLater();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelPoll();
  }

  /** Calls `listener` after each change of a subject that this node notices, its own included. */
  onChange(subject: SharedSubject, listener: () => void): void {
    this.#listeners.set(subject, listener);
  }

  async read(): Promise<Generations>;
  async read(subject: SharedSubject): Promise<number>;
  async read(subject?: SharedSubject): Promise<number | Generations> {
    await this.#becomeCurrent();
    const of = (each: SharedSubject) => (this.#known.get(each)?.generation ?? 0) + this.#added;
    if (subject !== undefined) return of(subject);
    return Object.fromEntries(sharedSubjects.map((each) => [each, of(each)] as const)) as Record<SharedSubject, number>;
  }

  heard(subject: SharedSubject): number {
    return this.#heard.get(subject) ?? 0;
  }

  made(subject: SharedSubject, generation: number): void {
    this.#learn(subject, { generation, mark: null });
  }

  /** Takes a notification: `<subject> <generation> <mark>`. */
  notified(payload: string): void {
    const [name, count, mark = null] = payload.split(' ');
    const subject = sharedSubjects.find((each) => each === name);
    const generation = Number(count);
    if (subject !== undefined && Number.isSafeInteger(generation)) this.#learn(subject, { generation, mark });
  }

  /** Reads the counts now, because notifications may have been missed. Never rejects. */
  async refresh(): Promise<void> {
    await this.#readOnce().catch(() => undefined);
  }

  async #becomeCurrent(): Promise<void> {
    const { ageMs, isAway } = this.contact;
    if (ageMs <= freshMs) return;
    // While the store is away, calls do not wait for it one after another; the poll tries again.
    if (!isAway) await this.refresh();
    if (this.contact.isTooOld) throw storeUnavailable(new Error('the store has not answered for too long'));
  }

  #readOnce(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    const { timer, readAll, recovered } = this.#inputs;
    const startedMs = timer.nowMs();
    // The read must see these, because it begins afterwards.
    const before = new Map(this.#known);
    try {
      const counts = await readAll();
      this.#confirmedMs = startedMs;
      if (this.#isOtherHistory(before, counts)) this.#startOver(counts);
      else for (const subject of sharedSubjects) this.#learn(subject, counts.get(subject) ?? neverChanged);
      if (this.#lostMs === undefined) return;
      recovered(Math.round(timer.nowMs() - this.#lostMs));
      this.#lostMs = undefined;
      this.#reports.succeeded();
    } catch (cause) {
      this.#failed(startedMs, cause);
      throw cause;
    }
  }

  #failed(startedMs: number, cause: unknown): void {
    if (this.#isClosed) return;
    const isDue = this.#reports.failed();
    if (this.#lostMs !== undefined) {
      if (isDue) this.#inputs.stillLost(Math.round(this.#inputs.timer.nowMs() - this.#lostMs), cause);
      return;
    }
    this.#lostMs = startedMs;
    this.#interruptions += 1;
    this.#inputs.lost(cause);
  }

  #isOtherHistory(before: ReadonlyMap<SharedSubject, KnownCount>, counts: ReadonlyMap<string, StoredCount>): boolean {
    return [...before].some(([subject, was]) => {
      const is = counts.get(subject) ?? neverChanged;
      if (is.generation !== was.generation) return is.generation < was.generation;
      // This node made the change, and cannot tell whether the store has kept it if it was away since.
      return was.mark === null ? this.#lostMs !== undefined : was.mark !== is.mark;
    });
  }

  /** Takes the counts of another history. */
  #startOver(counts: ReadonlyMap<string, StoredCount>): void {
    let back = 0;
    for (const subject of sharedSubjects) {
      const is = counts.get(subject) ?? neverChanged;
      back = Math.max(back, (this.#known.get(subject)?.generation ?? 0) - is.generation);
      this.#known.set(subject, is);
    }
    this.#added += back + 1;
    this.#interruptions += 1;
    this.#inputs.wentBack();
    for (const subject of sharedSubjects) this.#tell(subject);
  }

  #learn(subject: SharedSubject, { generation, mark }: KnownCount): void {
    const known = this.#known.get(subject);
    if (known !== undefined && generation <= known.generation) {
      if (generation < known.generation || mark === null) return;
      if (known.mark === null) this.#known.set(subject, { generation, mark });
      else if (known.mark !== mark) void this.refresh();
      return;
    }
    this.#known.set(subject, { generation, mark });
    if (known !== undefined) this.#tell(subject);
  }

  #tell(subject: SharedSubject): void {
    this.#heard.set(subject, this.heard(subject) + 1);
    this.#listeners.get(subject)?.();
  }

  #pollLater(): void {
    if (this.#isClosed) return;
    this.#cancelPoll = this.#inputs.timer.after(pollMs, () => {
      void this.refresh().then(() => this.#pollLater());
    });
  }
}
