/** Milliseconds that long work may run before it yields. */
const turnMs = 6;

/** Units of work, some nanoseconds each, between two looks at the clock. */
const workPerLook = 16 * 1024;

/**
 * A queue of long work for the main thread. Each turn of the event loop continues one piece of work: that which has waited
 * longest of the owner whose last turn was longest ago. So a new request waits for at most one turn, however much work is
 * queued, and the work of one owner does not wait for all work of another.
 */
export class Turns {
  /** The clock of turns, in milliseconds. If a test stops it, turns never end. */
  readonly nowMs: () => number;
  /** By owner, in the order of their next turns. No list is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** When work that began in this turn must yield; null if none did. */
  #endMs: number | null = null;
  readonly #goOn = (): void => {
    const [owner, own] = this.#waiting.entries().next().value ?? ['', []];
    const first = own.shift();
    this.#waiting.delete(owner);
    if (own.length > 0) this.#waiting.set(owner, own);
    if (this.#waiting.size > 0) setImmediate(this.#goOn);
    first?.();
  };

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** When work that begins now must yield. All work that begins in one turn of the event loop shares its time. */
  endMs(): number {
    if (this.#endMs === null) {
      this.#endMs = this.nowMs() + turnMs;
      setImmediate(() => {
        this.#endMs = null;
      });
    }
    return this.#endMs;
  }

  /** Whether long work has run in this turn of the event loop or waits for another one. */
  get isBusy(): boolean {
    return this.#endMs !== null || this.#waiting.size > 0;
  }

  /**
   * Resolves when all work of the owner that waited before has had its turn. Owners are tokens; all work without one shares
   * the empty owner.
   */
  next(owner = ''): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) setImmediate(this.#goOn);
      const own = this.#waiting.get(owner);
      if (own === undefined) this.#waiting.set(owner, [resolve]);
      else own.push(resolve);
    });
  }
}

/**
 * Runs the steps in turns and resolves to their result. The first step waits for a turn too, because many calls that
 * arrive together would otherwise do all their first steps in one.
 */
export async function inTurns<T>(steps: Generator<unknown, T>, pause: Pause = new Pause()): Promise<T> {
  await pause.take();
  return await inThisTurn(steps, pause);
}

/** Like `inTurns` for work that goes on in the turn in which it was prepared: only later steps wait, if its turn is over. */
export async function inThisTurn<T>(steps: Generator<unknown, T>, pause: Pause): Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (pause.isDue(Number.POSITIVE_INFINITY)) await pause.take();
  }
}

/** Runs the steps at once and returns their result. */
export function atOnce<T>(steps: Generator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Tracks the time of one piece of work, which yields when its turn is over. */
export class Pause {
  readonly #turns: Turns;
  readonly #signal: AbortSignal | undefined;
  readonly #owner: string | undefined;
  #untilMs: number;
  #work = 0;

  /** `signal`: ends the work at its next turn, by throwing its reason. `owner`: as for `Turns.next`. */
  constructor(turns: Turns = new Turns(), signal?: AbortSignal, owner?: string) {
    this.#turns = turns;
    this.#signal = signal;
    this.#owner = owner;
    this.#untilMs = turns.endMs();
  }

  /** Adds `work` (bytes, characters, or comparable units) and returns whether the turn is over. */
  isDue(work: number): boolean {
    this.#work += work;
    if (this.#work < workPerLook) return false;
    this.#work = 0;
    return this.#turns.nowMs() >= this.#untilMs;
  }

  /** Yields if the turn is over. Looks at the clock each time, so call it between larger steps. */
  async takeIfOver(): Promise<void> {
    if (this.isDue(Number.POSITIVE_INFINITY)) await this.take();
  }

  /** Yields to other work, and then begins a new turn. Rejects with the reason of the signal once it is aborted. */
  async take(): Promise<void> {
    await this.#turns.next(this.#owner);
    this.#signal?.throwIfAborted();
    this.#work = 0;
    this.#untilMs = this.#turns.nowMs() + turnMs;
  }
}
