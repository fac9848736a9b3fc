import { ServiceError } from '../../../core/errors.ts';
import type { Timer } from '../../../core/timer.ts';
import type { ArrivalRange, CommitLedger, LedgerState } from '../../../ports/commitLedger.ts';

export interface CompleteCommitsOptions {
  readonly ledger: Pick<CommitLedger, 'state'>;
  readonly timer: Timer;
  /** Age at which the state is read again. Milliseconds. */
  readonly freshMs: number;
  /** Age up to which a state is used while the store does not answer. Milliseconds. */
  readonly staleMs: number;
  /** Applies removals that other nodes have registered. */
  readonly followRemovals: () => Promise<void>;
  /** Called if the ledger is an older one than before, because an older copy of the store was restored. */
  readonly wentBack: () => void;
  /** Called with the numbers up to which nothing new can appear any more, each once. */
  readonly advanced?: (numbers: ArrivalRange) => void;
}

/** What this node knows of the ledger: which events queries may see. */
export class CompleteCommits {
  readonly #options: CompleteCommitsOptions;
  #state: LedgerState | null = null;
  /** When reading `#state` began. Milliseconds of the timer. */
  #readMs = Number.NEGATIVE_INFINITY;
  /** When it was there. */
  #adoptedMs = Number.NEGATIVE_INFINITY;
  /** When removals were asked for that apply now. */
  #followedMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(options: CompleteCommitsOptions) {
    this.#options = options;
  }

  /** The last state that was read. Await `ready` first. */
  get state(): LedgerState {
    if (this.#state === null) throw new Error('the ledger was not read yet');
    return this.#state;
  }

  /**
   * Resolves when the state is recent enough for a query that begins now. Rejects with `engine.restarting` if the store has
   * not answered for too long.
   */
  async ready(): Promise<void> {
    if (this.#ageMs() < this.#options.freshMs) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    try {
      await this.#reading;
    } catch (cause) {
      if (this.#ageMs() < this.#options.staleMs) return;
      throw unanswered(cause);
    }
  }

  /** The highest number up to which nothing new can appear. */
  get settled(): number {
    return this.state.watermark - 1;
  }

  /**
   * Brings `settled` up to this number, or up to date if it is null. Returns false if the ledger is not that far. Rejects
   * like `ready`.
   */
  async reach(number: number | null): Promise<boolean> {
    if (number === null) {
      await this.ready();
      return true;
    }
    if (this.settled < number) {
      await this.refresh().catch((cause: unknown) => {
        throw unanswered(cause);
      });
    }
    return this.settled >= number;
  }

  /** Reads the state, whatever its age, and follows no removals. */
  async refresh(): Promise<LedgerState> {
    const beganMs = this.#options.timer.nowMs();
    this.adopt(await this.#options.ledger.state(), beganMs);
    return this.state;
  }

  /** Whether queries see the events of the commit with this number. */
  shows(commit: number): boolean {
    return commit < this.knownEnd && !this.state.hidden.some(({ first }) => first === commit);
  }

  /** A number below which numbers were given; 0 before the first read. */
  get knownEnd(): number {
    return this.#state?.end ?? 0;
  }

  /**
   * Takes over a state that was read since `beganMs`. Ignores one that began before the known one, and one of an older
   * ledger, which would hide events that were shown before.
   */
  adopt(state: LedgerState, beganMs: number): void {
    const known = this.#state;
    if (beganMs < this.#readMs) return;
    // Of two that were read at the same time, the one that came last may be the older one.
    if (beganMs < this.#adoptedMs && known !== null && isOlder(state, known)) return;
    if (state.end < this.knownEnd) {
      this.#options.wentBack();
      return;
    }
    this.#state = state;
    this.#readMs = beganMs;
    this.#adoptedMs = this.#options.timer.nowMs();
    if (known === null || state.watermark <= known.watermark) return;
    this.#options.advanced?.({ first: known.watermark, end: state.watermark });
  }

  #ageMs(): number {
    return this.#options.timer.nowMs() - Math.min(this.#readMs, this.#followedMs);
  }

  async #read(): Promise<void> {
    const beganMs = this.#options.timer.nowMs();
    await this.#options.followRemovals();
    this.#followedMs = beganMs;
    await this.refresh();
  }
}

/** Ends and watermarks only rise, and a commit that is shown is never hidden again. */
function isOlder(state: LedgerState, than: LedgerState): boolean {
  if (state.end < than.end || state.watermark < than.watermark) return true;
  const hidden = new Set(than.hidden.map(({ first }) => first));
  return state.hidden.some(({ first }) => first < than.end && !hidden.has(first));
}

function unanswered(cause: unknown): ServiceError {
  const message = 'The store does not answer at present. Try again in a few seconds.';
  return new ServiceError('engine.restarting', message, { cause, retryAfterSeconds: 2 });
}
