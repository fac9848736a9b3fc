import type { Clock } from '../core/clock.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observation, Observe } from '../core/observation.ts';
import type { Timer } from '../core/timer.ts';
import { type OtlpSpan, requestSpans } from './requestSpans.ts';

export interface TracesSettings {
  /** Share of requests without a caller's trace that are traced, 0 to 1. */
  readonly share: number;
  readonly everyMs: number;
  /** Most spans of one message. When this many are waiting, they are sent at once. */
  readonly batchSpans: number;
  /** Most waiting spans. Further requests are not traced. */
  readonly waitingMax: number;
  /** Most attempts to send a message. */
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

/** `later`: another attempt may succeed. */
export type Sent = { readonly kind: 'sent' } | { readonly kind: 'refused' | 'later'; readonly why: unknown };

/** Most milliseconds for the last messages when the service stops. */
const closeMs = 2_000;

/**
 * Sends traces of completed requests in the background (decision 42). If a caller has a trace, its sampling decision is
 * followed; otherwise a share of requests is traced. Never delays a request: spans that exceed the memory limit or that
 * the receiver refuses are lost, with a warning in the log.
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

  /** Sends the waiting spans. Resolves even if that fails. */
  async flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  /** Sends the remaining spans within a short time. Nothing is traced afterwards. */
  async close(): Promise<void> {
    this.#stopTimer();
    const stop = this.#services.timer.after(closeMs, () => this.#closing.abort());
    // Twice, because spans recorded while a message was being sent are not in that message.
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
        message: `${this.#lost} ${this.#lost === 1 ? 'request was' : 'requests were'} not traced, because too many spans were waiting to be sent`,
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

  /** Waits, but ends early when the service stops. */
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
    this.#services.observe({
      kind: 'warning',
      message: `${spans} ${spans === 1 ? 'span' : 'spans'} could not be sent`,
      cause,
    });
  }

  #startTimer(): () => void {
    return this.#services.timer.after(this.#settings.everyMs, () => {
      void this.flush();
      this.#stopTimer = this.#startTimer();
    });
  }
}
