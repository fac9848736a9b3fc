/** A run that any number of calls wait for. */
export interface Flight<T> {
  /** The token that the run is queued for. */
  readonly tokenId: string;
  /**
   * Resolves with the value of the run. Rejects with its error, or with the signal's reason when the
   * signal is aborted. The run continues for the other callers and ends when the last one has left.
   */
  wait(signal: AbortSignal): Promise<T>;
}

export interface FlightPlan<T> {
  readonly key: string;
  readonly endpointId: string;
  readonly version: number;
  readonly tokenId: string;
  run(signal: AbortSignal): Promise<T>;
  /** Called once with the value of a run that was not detached, before any waiting call receives it. */
  landed(value: T): void;
}

/**
 * The current runs: at most one per key that calls can join (contract, section 5, "Single flight per key").
 * A detached run still answers the calls that wait for it. No call can join it any more, and its result
 * is not cached (architecture, "Single flight survives invalidation").
 */
export class Flights<T> {
  /** The runs that calls can join. */
  readonly #open = new Map<string, OpenFlight<T>>();
  readonly #all = new Set<OpenFlight<T>>();

  /** The run of this key that calls can join. */
  find(key: string): Flight<T> | undefined {
    return this.#open.get(key);
  }

  /** Starts a run. From then on, calls no longer join an earlier run of the same key. */
  start(plan: FlightPlan<T>): Flight<T> {
    const flight = new OpenFlight(plan, () => {
      this.#all.delete(flight);
      if (this.#open.get(plan.key) === flight) this.#open.delete(plan.key);
    });
    this.#all.add(flight);
    this.#open.set(plan.key, flight);
    flight.begin();
    return flight;
  }

  /** Detaches the matching runs. */
  detach(isConcerned: (plan: FlightPlan<T>) => boolean): void {
    for (const flight of this.#all) {
      if (!isConcerned(flight.plan)) continue;
      flight.isDetached = true;
      if (this.#open.get(flight.plan.key) === flight) this.#open.delete(flight.plan.key);
    }
  }
}

class OpenFlight<T> implements Flight<T> {
  readonly plan: FlightPlan<T>;
  readonly #close: () => void;
  readonly #controller = new AbortController();
  #running: Promise<T> | undefined;
  #waitingCount = 0;
  isDetached = false;

  constructor(plan: FlightPlan<T>, close: () => void) {
    this.plan = plan;
    this.#close = close;
  }

  get tokenId(): string {
    return this.plan.tokenId;
  }

  begin(): void {
    this.#running = this.#run();
    // Waiting calls get the error from `wait`. If all have left, nobody handles the rejection.
    this.#running.catch(() => undefined);
  }

  async #run(): Promise<T> {
    try {
      const value = await this.plan.run(this.#controller.signal);
      if (!this.isDetached) this.plan.landed(value);
      return value;
    } finally {
      this.#close();
    }
  }

  wait(signal: AbortSignal): Promise<T> {
    const running = this.#running;
    if (running === undefined) throw new Error('a run was waited for before it began');
    if (signal.aborted) return Promise.reject(signal.reason);
    this.#waitingCount++;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#leave(signal.reason);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      running.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  #leave(reason: unknown): void {
    this.#waitingCount--;
    if (this.#waitingCount > 0) return;
    // Before the abort, so that no call joins a run that is ending.
    this.#close();
    this.#controller.abort(reason);
  }
}
