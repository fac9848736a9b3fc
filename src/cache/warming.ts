import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import type { Timer } from '../core/timer.ts';

/** The facts about a result that warming needs. */
export interface WarmingEntry {
  /** Seconds between refreshes, or null for none. */
  readonly warmSeconds: number | null;
  /** When the result can no longer be served, even as a stale one, in microseconds. */
  readonly usefulUntilMicros: number;
}

export interface WarmingServices {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly randomness: Randomness;
}

/** Runs the query of an entry again and replaces its result. Resolves with the engine's time in milliseconds. */
export type RefreshEntry<E> = (entry: E, signal: AbortSignal) => Promise<number>;

interface State {
  /** Whether the entry was read since it was made, which is its last refresh. */
  isRead: boolean;
  isDue: boolean;
  cancelTimer(): void;
}

/** Largest share of `warmSeconds` by which a refresh comes early, so that results made together spread out. */
const jitterShare = 0.1;
const pauseMsMin = 1000;
const pauseMsMax = 30_000;

/**
 * Refreshes results in the background (contract, section 5, "Warming"). A result that was read since its last
 * refresh is refreshed every `warmSeconds`; an unread one waits until it is read again. Refreshes run one at a
 * time, the soonest to expire first. A pause after each keeps their total within a share of the time of one
 * query slot. While the engine fails, the pauses double.
 */
export class Warming<E extends WarmingEntry> {
  readonly #timeShare: number;
  readonly #services: WarmingServices;
  readonly #refresh: RefreshEntry<E>;
  readonly #states = new Map<E, State>();
  /** The entries to refresh. */
  readonly #waiting = new Set<E>();
  readonly #stopping = new AbortController();
  #isBusy = false;
  #failures = 0;

  /** `timeShare` is from 0 (no warming) to 1. */
  constructor(timeShare: number, services: WarmingServices, refresh: RefreshEntry<E>) {
    this.#timeShare = timeShare;
    this.#services = services;
    this.#refresh = refresh;
  }

  /** Schedules the refresh of a new entry. */
  filled(entry: E): void {
    if (entry.warmSeconds === null || this.#timeShare === 0 || this.#stopping.signal.aborted) return;
    const state: State = { isRead: false, isDue: false, cancelTimer: () => undefined };
    this.#states.set(entry, state);
    const early = ((this.#services.randomness.bytes(1)[0] ?? 0) / 255) * jitterShare;
    this.#arm(entry, state, entry.warmSeconds * 1000 * (1 - early));
  }

  read(entry: E): void {
    const state = this.#states.get(entry);
    if (state === undefined) return;
    state.isRead = true;
    if (state.isDue) this.#enqueue(entry);
  }

  /** Stops refreshing an entry that was dropped or can no longer be served. */
  forget(entry: E): void {
    this.#states.get(entry)?.cancelTimer();
    this.#states.delete(entry);
    this.#waiting.delete(entry);
  }

  /** Stops permanently and aborts the current refresh. */
  stop(): void {
    this.#stopping.abort(new ServiceError('service.draining', 'The service is shutting down.'));
    for (const entry of this.#states.keys()) this.forget(entry);
  }

  #arm(entry: E, state: State, delayMs: number): void {
    state.isDue = false;
    state.cancelTimer = this.#services.timer.after(delayMs, () => {
      state.isDue = true;
      if (state.isRead) this.#enqueue(entry);
    });
  }

  #enqueue(entry: E): void {
    this.#waiting.add(entry);
    if (!this.#isBusy) this.#refreshNext();
  }

  #refreshNext(): void {
    this.#isBusy = false;
    const nowMicros = this.#services.clock.nowMicros();
    for (const entry of this.#waiting) if (nowMicros >= entry.usefulUntilMicros) this.forget(entry);
    const entry = soonest(this.#waiting);
    if (entry === undefined) return;
    this.#waiting.delete(entry);
    this.#isBusy = true;
    this.#refresh(entry, this.#stopping.signal).then(
      (engineMs) => this.#refreshed(entry, engineMs),
      (error: unknown) => this.#failed(entry, error),
    );
  }

  #refreshed(entry: E, engineMs: number): void {
    this.#failures = 0;
    // If the entry is still known, the new result was too large to replace it.
    this.#retry(entry, entry.warmSeconds ?? 0);
    this.#pause(engineMs * (1 / this.#timeShare - 1));
  }

  #failed(entry: E, error: unknown): void {
    const warmSeconds = entry.warmSeconds ?? 0;
    if (error instanceof ServiceError && error.status < 500) {
      // The query fails on its own data, so the engine is not at fault.
      this.#retry(entry, warmSeconds);
      this.#pause(pauseMsMin);
      return;
    }
    this.#failures++;
    // Behind the others, because this entry may be the one that makes the engine fail.
    this.#retry(entry, Math.max(1, warmSeconds / 10));
    this.#pause(Math.min(pauseMsMax, pauseMsMin * 2 ** (this.#failures - 1)));
  }

  #retry(entry: E, afterSeconds: number): void {
    const state = this.#states.get(entry);
    if (state === undefined) return;
    this.#waiting.delete(entry);
    this.#arm(entry, state, afterSeconds * 1000);
  }

  #pause(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#services.timer.after(ms, () => this.#refreshNext());
  }
}

function soonest<E extends WarmingEntry>(entries: Iterable<E>): E | undefined {
  let found: E | undefined;
  for (const entry of entries) {
    if (found === undefined || entry.usefulUntilMicros < found.usefulUntilMicros) found = entry;
  }
  return found;
}
