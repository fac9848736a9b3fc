/** How long one piece of work goes on before others have a turn, milliseconds. */
const turnMs = 6;

/** Units of work, some nanoseconds each, that are done before the clock is looked at again. */
const workPerLook = 16 * 1024;

/**
 * Where long pieces of work stand in line for the one thread of the service. Each turn of the event loop goes on with
 * one of them, the one that has waited longest: so that, however many there are, a request that comes in waits for one
 * turn of one of them.
 */
export class Turns {
  /** Milliseconds of the clock that turns are told by; a test with one that stands still has no turn end. */
  readonly nowMs: () => number;
  readonly #waiting: (() => void)[] = [];
  readonly #goOn = (): void => {
    const first = this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(this.#goOn);
    first?.();
  };

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** Resolves when the others have had a turn and nobody stands in line ahead. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#goOn);
    });
  }
}

/** What the steps come to, others having their turns between them. */
export async function inTurns<T>(steps: Generator<unknown, T>, pause: Pause = new Pause()): Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    await pause.takeIfOver();
  }
}

/** What the steps come to, in one turn. */
export function atOnce<T>(steps: Generator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Tells one piece of work when its turn is over, by the time that it took. */
export class Pause {
  readonly #turns: Turns;
  readonly #nowMs: () => number;
  #untilMs: number;
  #work = 0;

  constructor(turns: Turns = new Turns(), nowMs: () => number = turns.nowMs) {
    this.#turns = turns;
    this.#nowMs = nowMs;
    this.#untilMs = nowMs() + turnMs;
  }

  /** Whether the turn is over, `work` included: bytes or characters, or for other work as many as take as long. */
  isDue(work: number): boolean {
    this.#work += work;
    if (this.#work < workPerLook) return false;
    this.#work = 0;
    return this.#nowMs() >= this.#untilMs;
  }

  /** Lets others have a turn if this one is over: between two steps of work, however little they seem to be. */
  async takeIfOver(): Promise<void> {
    if (this.isDue(Number.POSITIVE_INFINITY)) await this.take();
  }

  /** Lets others have a turn, and begins a new one. */
  async take(): Promise<void> {
    await this.#turns.next();
    this.#work = 0;
    this.#untilMs = this.#nowMs() + turnMs;
  }
}
