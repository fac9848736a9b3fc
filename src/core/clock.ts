/**
 * Source of the present. Passed in wherever time matters, so that windows, buckets and deadlines
 * are tested by moving the clock.
 */
export interface Clock {
  /** Microseconds since 1970-01-01T00:00:00Z; an integer. */
  nowMicros(): number;
}

/** The machine's clock. Millisecond resolution, in microseconds. */
export const systemClock: Clock = {
  nowMicros: () => Date.now() * 1000,
};

/** A clock that stands still until it is moved. For tests and deterministic data. */
export class ManualClock implements Clock {
  #micros: number;

  constructor(startMicros: number) {
    this.#micros = startMicros;
  }

  nowMicros(): number {
    return this.#micros;
  }

  setMicros(micros: number): void {
    this.#micros = micros;
  }

  advanceMs(ms: number): void {
    this.#micros += ms * 1000;
  }
}
