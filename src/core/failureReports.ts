import type { Timer } from './timer.ts';

/** How often a failure that lasts is reported again. Milliseconds. */
const remindEveryMs = 60_000;

/**
 * Decides which failures of work that is repeated are reported: the first one that comes after `graceMs` of failing, and
 * one a minute while it lasts.
 */
export class FailureReports {
  readonly #timer: Pick<Timer, 'nowMs'>;
  readonly #graceMs: number;
  #sinceMs: number | null = null;
  #reportedMs: number | null = null;

  constructor(timer: Pick<Timer, 'nowMs'>, graceMs = 0) {
    this.#timer = timer;
    this.#graceMs = graceMs;
  }

  /** Call it for each failure. Returns whether to report this one. */
  failed(): boolean {
    const nowMs = this.#timer.nowMs();
    this.#sinceMs ??= nowMs;
    const isDue =
      this.#reportedMs === null ? nowMs - this.#sinceMs >= this.#graceMs : nowMs - this.#reportedMs >= remindEveryMs;
    if (isDue) this.#reportedMs = nowMs;
    return isDue;
  }

  /** Call it for each success. Returns for how many milliseconds the work had failed, if that was reported; else null. */
  succeeded(): number | null {
    const failedMs = this.#sinceMs === null || this.#reportedMs === null ? null : this.#timer.nowMs() - this.#sinceMs;
    this.#sinceMs = null;
    this.#reportedMs = null;
    return failedMs;
  }
}
