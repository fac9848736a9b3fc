import type { Timer } from '../core/timer.ts';

const retryMs = 1_000;

/** Runs a load after each request, one at a time, once for requests that come meanwhile, and again after a failure. */
export class Reloading {
  readonly #load: () => Promise<void>;
  readonly #timer: Timer;
  readonly #failed: (cause: unknown) => void;
  #running: Promise<void> | undefined;
  /** Why the last load failed; null if it succeeded. */
  #failure: { readonly cause: unknown } | null = null;
  #isRequested = false;
  #isClosed = false;
  #cancelRetry: () => void = () => undefined;

  constructor(load: () => Promise<void>, timer: Timer, failed: (cause: unknown) => void) {
    this.#load = load;
    this.#timer = timer;
    this.#failed = failed;
  }

  request(): void {
    if (this.#isClosed) return;
    this.#isRequested = true;
    this.#running ??= this.#run();
  }

  /** Resolves when a load that began after the call has succeeded. Rejects with its failure. */
  async now(): Promise<void> {
    // One that is under way sees the request, and loads again.
    this.request();
    await this.#running;
    if (this.#failure !== null) throw this.#failure.cause;
  }

  /** Waits for a load under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isRequested && !this.#isClosed) {
      this.#isRequested = false;
      try {
        await this.#load();
        this.#failure = null;
      } catch (cause) {
        this.#failure = { cause };
        if (this.#isClosed) break;
        this.#failed(cause);
        this.#cancelRetry();
        this.#cancelRetry = this.#timer.after(retryMs, () => this.request());
        // One that came meanwhile is loaded at once; otherwise the retry does it.
        if (!this.#isRequested) break;
      }
    }
    // In the same step as the last look at `#isRequested`, so that every later request begins another run.
    this.#running = undefined;
  }
}
