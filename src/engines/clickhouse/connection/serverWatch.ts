import type { Timer } from '../../../core/timer.ts';
import { ClickHouseFailure } from './failure.ts';

/** Milliseconds. */
export interface WatchTimes {
  /** How often a server is asked whether it is there, while requests wait for it. */
  readonly everyMs: number;
  /** How long it may then take to say so. Long, because a server that is only busy must not lose its queries. */
  readonly patienceMs: number;
}

export const defaultWatchTimes: WatchTimes = { everyMs: 2_000, patienceMs: 10_000 };

/** Resolves when the server has answered a request that needs no work. Rejects otherwise, or when the signal is aborted. */
export type PingsServer = (signal: AbortSignal) => Promise<void>;

/**
 * Gives up the requests to a server that cannot be reached any more. A network that drops packets says nothing, and the
 * answer to a long query cannot be told from one that will never come. So a request would wait until its deadline, and each
 * one after it would too.
 */
export class ServerWatch {
  readonly #ping: PingsServer;
  readonly #timer: Timer;
  readonly #times: WatchTimes;
  readonly #waiting = new Set<(failure: ClickHouseFailure) => void>();
  #cancel: (() => void) | null = null;

  constructor(ping: PingsServer, timer: Timer, times = defaultWatchTimes) {
    this.#ping = ping;
    this.#timer = timer;
    this.#times = times;
  }

  /** Calls `lost` once if the server cannot be reached before the returned function is called. */
  during(lost: (failure: ClickHouseFailure) => void): () => void {
    this.#waiting.add(lost);
    this.#askLater();
    return () => {
      this.#waiting.delete(lost);
      if (this.#waiting.size > 0) return;
      this.#cancel?.();
      this.#cancel = null;
    };
  }

  /** Whether the server answers within this time. Never rejects. */
  async answers(withinMs: number): Promise<boolean> {
    const patience = new AbortController();
    const cancel = this.#timer.after(withinMs, () => patience.abort());
    try {
      await this.#ping(patience.signal);
      return true;
    } catch {
      // Whatever the reason is, requests cannot be answered.
      return false;
    } finally {
      cancel();
    }
  }

  #askLater(): void {
    this.#cancel ??= this.#timer.after(this.#times.everyMs, () => void this.#ask());
  }

  async #ask(): Promise<void> {
    // Not those that begin while it is asked.
    const asked = [...this.#waiting];
    const isThere = await this.answers(this.#times.patienceMs);
    this.#cancel = null;
    if (!isThere) {
      const failure = new ClickHouseFailure('unreachable', 'ClickHouse cannot be reached any more');
      for (const lost of asked) if (this.#waiting.delete(lost)) lost(failure);
    }
    if (this.#waiting.size > 0) this.#askLater();
  }
}
