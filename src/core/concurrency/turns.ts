/** Milliseconds that long work may run in one turn of the event loop. */
const turnMs = 6;

/** What a piece of work counts at least for its owner, in milliseconds. */
const pieceMs = 0.1;

/** How much less than its fair share an owner may count as having taken when it joins, in milliseconds. */
const aheadMs = turnMs;

/** Units of work, some nanoseconds each, between two looks at the clock. */
const workPerLook = 16 * 1024;

/**
 * A queue of long work for the main thread. All work in one turn of the event loop shares its time: what begins in it, and the
 * pieces of waiting work that it continues, which is at least one. So a new request waits for about one turn, however much
 * work is queued.
 *
 * The next piece is that of the owner whose work took least time since others wait, so that the small work of one owner does
 * not wait for the large work of others. Nor does the work of one owner wait for ever new ones: an owner who joins counts as
 * one who took almost its fair share.
 */
export class Turns {
  /** The clock of turns, in milliseconds. If a test stops it, turns never end. */
  readonly nowMs: () => number;
  /** By owner. No list is empty. If owners took the same time, the first one is next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** What each owner took since work waits. An owner who joins counts as one who took as much as the next one. */
  readonly #taken = new Map<string, Taken>();
  #nextTookMs = 0;
  /** Milliseconds that an owner took since work waits if it always waited and got its fair share. */
  #fairMs = 0;
  /** When work in this turn of the event loop must yield; null if there was none. */
  #endMs: number | null = null;
  /** Whether waiting work let other work of the last turn go first, so that it is next whatever begins in this one. */
  #isOwed = false;
  #isPlanned = false;
  readonly #endTurn = (): void => {
    this.#isPlanned = false;
    const isUsedUp = this.#endMs !== null && this.nowMs() >= this.#endMs;
    this.#endMs = null;
    if (this.#waiting.size === 0) return;
    this.#plan();
    this.#isOwed = isUsedUp && !this.#isOwed;
    if (!this.#isOwed) this.#continueOne();
  };

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /**
   * These turns for the work of one owner: a token, or what else acts for one tenant. `waited` is told the milliseconds of
   * each wait for a turn.
   */
  of(owner: string, waited?: (ms: number) => void): Turns {
    return new OwnTurns(this, owner, waited);
  }

  /** When work that begins now must yield. */
  endMs(): number {
    if (this.#endMs === null) {
      this.#endMs = this.nowMs() + (this.#isOwed ? 0 : turnMs);
      this.#plan();
    }
    return this.#endMs;
  }

  /** Whether long work has run in this turn of the event loop or waits for another one. */
  get isBusy(): boolean {
    return this.#endMs !== null || this.#waiting.size > 0;
  }

  /** Resolves when a piece of work of the owner that waits now has its turn. All work without an owner shares the empty one. */
  next(owner = ''): Promise<void> {
    return new Promise((resolve) => {
      const own = this.#waiting.get(owner);
      if (own === undefined) {
        this.#waiting.set(owner, [resolve]);
        const { ms, longestMs } = this.#taken.get(owner) ?? nothing;
        this.#taken.set(owner, { ms: Math.max(ms, this.#nextTookMs, this.#fairMs - aheadMs), longestMs });
      } else own.push(resolve);
      this.#plan();
    });
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(this.#endTurn);
  }

  #continueOne(): void {
    const takenBy = (owner: string) => this.#taken.get(owner) ?? nothing;
    const [first = '', ...others] = this.#waiting.keys();
    const owner = others.reduce((best, each) => (takenBy(each).ms < takenBy(best).ms ? each : best), first);
    const own = this.#waiting.get(owner) ?? [];
    const goOn = own.shift();
    // If owners took the same time, this one is now the last.
    this.#waiting.delete(owner);
    if (own.length > 0) this.#waiting.set(owner, own);
    this.#nextTookMs = takenBy(owner).ms;
    const beganMs = this.nowMs();
    const endMs = this.endMs();
    goOn?.();
    afterThisWork(() => {
      const nowMs = this.nowMs();
      const tookMs = nowMs - beganMs;
      const { ms, longestMs } = takenBy(owner);
      // The first piece that is longer than a turn may not be the owner's doing: the process waited for a processor, or freed memory.
      const countedMs = Math.max(pieceMs, Math.min(tookMs, Math.max(turnMs, longestMs)));
      this.#taken.set(owner, { ms: ms + countedMs, longestMs: Math.max(longestMs, tookMs) });
      this.#fairMs += countedMs / (1 + others.length);
      if (this.#waiting.size > 0) {
        if (nowMs < endMs) this.#continueOne();
        return;
      }
      this.#taken.clear();
      this.#nextTookMs = 0;
      this.#fairMs = 0;
    });
  }
}

/** Milliseconds that an owner took, and those of its longest piece. */
interface Taken {
  readonly ms: number;
  readonly longestMs: number;
}

const nothing: Taken = { ms: 0, longestMs: 0 };

/** Turns of which one owner takes all. */
class OwnTurns extends Turns {
  readonly #all: Turns;
  readonly #owner: string;
  readonly #waited: ((ms: number) => void) | undefined;

  constructor(all: Turns, owner: string, waited?: (ms: number) => void) {
    super(all.nowMs);
    this.#all = all;
    this.#owner = owner;
    this.#waited = waited;
  }

  override of(owner: string, waited?: (ms: number) => void): Turns {
    return this.#all.of(owner, waited);
  }

  override endMs(): number {
    return this.#all.endMs();
  }

  override get isBusy(): boolean {
    return this.#all.isBusy;
  }

  override async next(): Promise<void> {
    const sinceMs = this.nowMs();
    await this.#all.next(this.#owner);
    this.#waited?.(this.nowMs() - sinceMs);
  }
}

/** Calls back when the work that goes on now has ended or waits: microtasks come before the next tick. */
function afterThisWork(then: () => void): void {
  queueMicrotask(() => process.nextTick(then));
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
  #untilMs: number;
  #work = 0;

  /** `signal`: ends the work at its next turn, by throwing its reason. */
  constructor(turns: Turns = new Turns(), signal?: AbortSignal) {
    this.#turns = turns;
    this.#signal = signal;
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
    await this.#turns.next();
    this.#signal?.throwIfAborted();
    this.#work = 0;
    this.#untilMs = this.#turns.endMs();
  }
}
