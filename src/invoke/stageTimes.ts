import type { StageTime } from '../core/observation.ts';

/** Reads a monotonic clock, in milliseconds from any origin. */
export type ReadMs = () => number;

/** Rounds to thousandths without formatting text, because every call does it a dozen times. */
export function thousandths(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** Measures the stages of one call, for `Server-Timing`. */
export class StageTimes {
  readonly #readMs: ReadMs;
  readonly #stages: StageTime[] = [];
  #turnsMs = 0;

  constructor(readMs: ReadMs) {
    this.#readMs = readMs;
  }

  /** Runs a stage and records its time, even if it fails. */
  time<T>(name: string, stage: () => T): T {
    const startMs = this.#readMs();
    try {
      return stage();
    } finally {
      this.#stages.push({ name, startMs, elapsedMs: this.#readMs() - startMs });
    }
  }

  async timeAsync<T>(name: string, stage: () => Promise<T>): Promise<T> {
    const startMs = this.#readMs();
    try {
      return await stage();
    } finally {
      this.#stages.push({ name, startMs, elapsedMs: this.#readMs() - startMs });
    }
  }

  /** Records a stage that has just ended. */
  add(name: string, elapsedMs: number): void {
    this.#stages.push({ name, startMs: this.#readMs() - elapsedMs, elapsedMs });
  }

  /** Adds to the milliseconds for which the call waited for its turn on the main thread, before or in any of its stages. */
  readonly waitedForTurn = (ms: number): void => {
    this.#turnsMs += ms;
  };

  /** The stages in the order in which they ended, relative to `originMs` of the same clock. */
  since(originMs: number): readonly StageTime[] {
    return this.#stages.map(({ name, startMs, elapsedMs }) => ({ name, startMs: startMs - originMs, elapsedMs }));
  }

  /** Milliseconds by stage; repeated stages are added up. */
  byStage(): Readonly<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const { name, elapsedMs } of this.#stages) sums[name] = (sums[name] ?? 0) + elapsedMs;
    if (this.#turnsMs > 0) sums.turns = this.#turnsMs;
    for (const name of Object.keys(sums)) sums[name] = thousandths(sums[name] ?? 0);
    return sums;
  }

  /** The value of a `Server-Timing` header: `bind;dur=0.12, run;dur=7.4, turns;dur=0.2`. Empty before the first stage. */
  toHeader(): string {
    const all = this.#stages.map(({ name, elapsedMs }) => `${name};dur=${thousandths(elapsedMs)}`);
    if (this.#turnsMs > 0 && all.length > 0) all.push(`turns;dur=${thousandths(this.#turnsMs)}`);
    return all.join(', ');
  }
}
