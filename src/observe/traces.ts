import type { Clock } from '../core/clock.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observation, Observe } from '../core/observation.ts';
import type { Timer } from '../core/timer.ts';
import { type OtlpSpan, requestSpans } from './requestSpans.ts';

export interface TracesSettings {
  /** Share of the requests that are part of no caller's trace and are traced all the same, 0 to 1. */
  readonly share: number;
  readonly everyMs: number;
  /** Spans of one message; that many waiting are sent at once. */
  readonly batchSpans: number;
  /** Spans that wait at most; further requests are not traced. */
  readonly waitingMax: number;
  /** Times that a message is tried. */
  readonly attempts: number;
}

export const defaultTracesSettings: TracesSettings = {
  share: 1,
  everyMs: 5_000,
  batchSpans: 512,
  waitingMax: 8_192,
  attempts: 4,
};

export interface TracesServices {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly randomness: Randomness;
  readonly observe: Observe;
  /** Sends spans; see `sendSpans`. */
  readonly send: (spans: readonly OtlpSpan[], signal: AbortSignal) => Promise<Sent>;
}

/** `later`: it may succeed when it is tried again. */
export type Sent = { readonly kind: 'sent' } | { readonly kind: 'refused' | 'later'; readonly why: unknown };

/** How long messages may take when the service stops. */
const closeMs = 2_000;

/**
 * Sends a trace of requests that have ended, in the background (decision 42). A caller's own decision to record its
 * trace is followed; of others a share is recorded. Never holds up a request: what does not fit into memory, and
 * what the receiver does not take, is lost, and the log says so once in a while.
 */
export class Traces {
  readonly #settings: TracesSettings;
  readonly #services: TracesServices;
  #waiting: OtlpSpan[] = [];
  #lost = 0;
  #sending: Promise<void> | undefined;
  #stopTimer: () => void;
  readonly #closing = new AbortController();

  constructor(settings: TracesSettings, services: TracesServices) {
    this.#settings = settings;
    this.#services = services;
    this.#stopTimer = this.#startTimer();
  }

  /** Traces the observation if it is the end of a request. Never throws, never waits. */
  record(observation: Observation): void {
    if (observation.kind !== 'request.completed') return;
    const { clock, randomness } = this.#services;
    if (!(observation.trace?.isSampled ?? this.#isChosen())) return;
    const { waitingMax, batchSpans } = this.#settings;
    if (this.#waiting.length >= waitingMax) {
      this.#lost++;
      return;
    }
    this.#waiting.push(...requestSpans(observation, clock.nowMicros(), randomness));
    if (this.#waiting.length >= batchSpans) void this.flush();
  }

  /** Sends what waits. Resolves also where that failed. */
  async flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  /** Sends what is left, for a short time. Nothing is traced afterwards. */
  async close(): Promise<void> {
    this.#stopTimer();
    const stop = this.#services.timer.after(closeMs, () => this.#closing.abort());
    // What was recorded while a message was under way is not in that one.
    await this.flush();
    await this.flush();
    stop();
  }

  #isChosen(): boolean {
    const { share } = this.#settings;
    if (share >= 1) return true;
    const [high = 0, low = 0] = this.#services.randomness.bytes(2);
    return (high * 256 + low) / 65_536 < share;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const { batchSpans } = this.#settings;
      const batch = this.#waiting.slice(0, batchSpans);
      this.#waiting = this.#waiting.slice(batchSpans);
      const sent = await this.#send(batch);
      if (sent.kind === 'sent') continue;
      this.#tell(batch.length, sent.why);
    }
    if (this.#lost > 0) {
      this.#services.observe({
        kind: 'warning',
        message: `${this.#lost} requests were not traced, as too many spans waited to be sent`,
      });
      this.#lost = 0;
    }
  }

  async #send(batch: readonly OtlpSpan[]): Promise<Sent> {
    const { attempts, everyMs } = this.#settings;
    for (let attempt = 1; ; attempt++) {
      const sent = await this.#services.send(batch, this.#closing.signal);
      if (sent.kind !== 'later' || attempt === attempts || this.#closing.signal.aborted) return sent;
      await this.#pause(everyMs * 2 ** (attempt - 1));
    }
  }

  /** Waits, but not longer than until the service has to have stopped. */
  #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    return new Promise((resolve) => {
      const end = () => {
        stop();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const stop = this.#services.timer.after(ms, end);
      signal.addEventListener('abort', end);
    });
  }

  #tell(spans: number, cause: unknown): void {
    this.#services.observe({ kind: 'warning', message: `${spans} spans could not be sent`, cause });
  }

  #startTimer(): () => void {
    return this.#services.timer.after(this.#settings.everyMs, () => {
      void this.flush();
      this.#stopTimer = this.#startTimer();
    });
  }
}
