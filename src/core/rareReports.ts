import type { Clock } from './clock.ts';

const reportEveryMicros = 60_000_000;

/**
 * Decides which reports are written of what others can cause as often as they like: one a minute about each subject, so that
 * nobody can fill the log. Subjects must be few.
 */
export class RareReports<Subject extends string = string> {
  readonly #clock: Clock;
  readonly #reportedMicros = new Map<Subject, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether to write a report now. The next ones about the same are not due for a minute. */
  isDue(subject: Subject): boolean {
    const nowMicros = this.#clock.nowMicros();
    const reportedMicros = this.#reportedMicros.get(subject) ?? Number.NEGATIVE_INFINITY;
    // If the clock was put back, the last report counts as long ago.
    if (reportedMicros <= nowMicros && nowMicros - reportedMicros < reportEveryMicros) return false;
    this.#reportedMicros.set(subject, nowMicros);
    return true;
  }
}
