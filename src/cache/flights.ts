/** One run that any number of calls wait for. */
export interface Flight<T> {
  /** On whose behalf the run waits for its place. */
  readonly tokenId: string;
  /**
   * Resolves with what the run gave. Rejects with its error, or with the signal's reason as soon as
   * that is aborted; the run goes on for the others, and is ended when the last one has gone.
   */
  wait(signal: AbortSignal): Promise<T>;
}

export interface FlightPlan<T> {
  readonly key: string;
  readonly endpointId: string;
  readonly version: number;
  readonly tokenId: string;
  run(signal: AbortSignal): Promise<T>;
  /** Called once with the value of a run that was not detached, before anyone who waits has it. */
  landed(value: T): void;
}

/**
 * Runs under way, one per key that others may join (contract, section 5, "Single flight per key").
 * A detached run still answers those who wait for it, but nobody can join it any more, and what it
 * gives is not kept (architecture, "Single flight survives invalidation").
 */
export class Flights<T> {
  /** Those that may be joined. */
  readonly #open = new Map<string, OpenFlight<T>>();
  readonly #all = new Set<OpenFlight<T>>();

  /** The run of this key that may be joined. */
  find(key: string): Flight<T> | undefined {
    return this.#open.get(key);
  }

  /** Starts a run. One of the same key is joined no more from then on. */
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

  /** Detaches the runs that are concerned. */
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
    // Those who wait are told; where all have gone, nobody is left to hear of the abort.
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
    // At once, so that nobody joins a run that is being ended.
    this.#close();
    this.#controller.abort(reason);
  }
}
