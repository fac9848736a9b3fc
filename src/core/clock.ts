/**
 * The source of the current time. It is passed in, so that tests of windows, buckets and deadlines can move the clock.
 */
export interface Clock {
  /** Microseconds since 1970-01-01T00:00:00Z; an integer. */
  nowMicros(): number;
}

/** The machine's clock, in microseconds with a resolution of a millisecond. */
export const systemClock: Clock = {
  nowMicros: () => Date.now() * 1000,
};

/** A clock that changes only if it is moved. For tests and deterministic data. */
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
