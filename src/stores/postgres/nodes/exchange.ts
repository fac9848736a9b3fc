import type { Timer } from '../../../core/timer.ts';
import { exchangeMs } from './nodeTimes.ts';

/** Delay of an exchange that something waits for, so that what comes at the same time goes with it. */
const soonMs = 2;
const retryMs = 1_000;

/**
 * Repeats an exchange with other nodes: regularly, and at once on request. Only one runs at a time. After a failure the
 * next one comes later, and requests do not hurry it.
 */
export class Exchange {
  readonly #timer: Timer;
  readonly #work: () => Promise<void>;
  readonly #failed: (cause: unknown) => void;
  #cancel: () => void = () => undefined;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isFailing = false;
  #isClosed = false;

  constructor(timer: Timer, work: () => Promise<void>, failed: (cause: unknown) => void) {
    this.#timer = timer;
    this.#work = work;
    this.#failed = failed;
  }

  /** Whether the last exchange failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  start(): void {
    this.#later(exchangeMs);
  }

  /** Exchanges in a moment, or again after the one that is running. */
  soon(): void {
    if (this.#isClosed || this.#isWanted) return;
    this.#isWanted = true;
    if (this.#running === undefined && !this.#isFailing) this.#later(soonMs);
  }

  /** Exchanges once, after the one that is running. Never rejects. */
  async now(): Promise<void> {
    await this.#running;
    this.#cancel();
    await this.#run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#running;
  }

  #later(delayMs: number): void {
    this.#cancel();
    if (this.#isClosed) return;
    this.#cancel = this.#timer.after(delayMs, () => void this.#run());
  }

  #run(): Promise<void> {
    this.#running ??= this.#exchange().finally(() => {
      this.#running = undefined;
      this.#later(this.#isFailing ? retryMs : this.#isWanted ? soonMs : exchangeMs);
    });
    return this.#running;
  }

  async #exchange(): Promise<void> {
    this.#isWanted = false;
    try {
      await this.#work();
      this.#isFailing = false;
    } catch (cause) {
      // Report the first of several failures.
      if (!this.#isFailing) this.#failed(cause);
      this.#isFailing = true;
    }
  }
}
