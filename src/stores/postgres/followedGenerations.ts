import type { Timer } from '../../core/timer.ts';
import { type ChangeFeed, type Generations, type SharedSubject, sharedSubjects } from '../../ports/changeFeed.ts';
import type { StoreContact } from '../../ports/storeContact.ts';
import type { GenerationSource } from '../sql/generationSource.ts';
import { storeUnavailable } from './postgresError.ts';

export interface FollowedInputs {
  /** Reads all change counts, soon or not at all. Rejects if this node may no longer use the store. */
  readonly readAll: () => Promise<ReadonlyMap<string, number>>;
  readonly timer: Timer;
  /** How long calls go on with what is known while the store does not answer. */
  readonly staleMsMax: number;
  readonly lost: (cause: unknown) => void;
  readonly recovered: (awayMs: number) => void;
}

/** A read that is younger answers without another one. With ChangeWatch's half second, a change is seen within a second. */
const freshMs = 200;
/** How often the counts are read when nothing asks, because a notification can be missed. */
const pollMs = 500;

/**
 * The change counts of a store that other nodes change too: kept current by notifications, and by reading them all where
 * one was missed. While the store does not answer, it gives the last known counts, so calls go on with what this node
 * has in memory, but not for longer than `staleMsMax`: this node cannot know what was revoked meanwhile.
 */
export class FollowedGenerations implements GenerationSource, ChangeFeed {
  readonly #inputs: FollowedInputs;
  readonly #known = new Map<SharedSubject, number>();
  readonly #heard = new Map<SharedSubject, number>();
  readonly #listeners = new Map<SharedSubject, () => void>();
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
  }

  get contact(): StoreContact {
    const ageMs = this.#inputs.timer.nowMs() - this.#confirmedMs;
    return { isAway: this.#lostMs !== undefined, ageMs, isTooOld: ageMs > this.#inputs.staleMsMax };
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
    const of = (each: SharedSubject) => this.#known.get(each) ?? 0;
    if (subject !== undefined) return of(subject);
    return Object.fromEntries(sharedSubjects.map((each) => [each, of(each)] as const)) as Record<SharedSubject, number>;
  }

  heard(subject: SharedSubject): number {
    return this.#heard.get(subject) ?? 0;
  }

  made(subject: SharedSubject, generation: number): void {
    this.#learn(subject, generation);
  }

  /** Takes a notification: `<subject> <generation>`. */
  notified(payload: string): void {
    const [name, count] = payload.split(' ');
    const subject = sharedSubjects.find((each) => each === name);
    const generation = Number(count);
    if (subject !== undefined && Number.isSafeInteger(generation)) this.#learn(subject, generation);
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
    const { timer, readAll, lost, recovered } = this.#inputs;
    const startedMs = timer.nowMs();
    try {
      const counts = await readAll();
      this.#confirmedMs = startedMs;
      for (const subject of sharedSubjects) this.#learn(subject, counts.get(subject) ?? 0);
      if (this.#lostMs === undefined) return;
      recovered(Math.round(timer.nowMs() - this.#lostMs));
      this.#lostMs = undefined;
    } catch (cause) {
      if (this.#lostMs === undefined && !this.#isClosed) {
        this.#lostMs = startedMs;
        lost(cause);
      }
      throw cause;
    }
  }

  #learn(subject: SharedSubject, generation: number): void {
    const known = this.#known.get(subject);
    if (known !== undefined && generation <= known) return;
    this.#known.set(subject, generation);
    if (known === undefined) return;
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
