import { asServiceError, type ServiceError } from '../core/errors.ts';
import type { Timer } from '../core/timer.ts';

/** Rights that end must end what they allow within a second. */
const everyMs = 500;

/**
 * Checks the rights of a caller while rows are shown: by time, because rows may be rare, and before rows if the last check is
 * too old.
 */
export class RightsWatch {
  readonly #check: () => Promise<void>;
  readonly #timer: Timer;
  readonly #ended: (reason: ServiceError) => void;
  #checkedMs: number;
  #checking: Promise<void> | null = null;
  #refusal: ServiceError | null = null;
  #isStopped = false;
  #cancel: () => void;

  /** `check` rejects if the caller may not read the rows any more. `ended` is then called, once. */
  constructor(check: () => Promise<void>, timer: Timer, ended: (reason: ServiceError) => void) {
    this.#check = check;
    this.#timer = timer;
    this.#ended = ended;
    this.#checkedMs = timer.nowMs();
    this.#cancel = timer.after(everyMs, this.#tick);
  }

  /** Throws if the caller may not read the rows any more, as far as is known. */
  throwIfEnded(): void {
    if (this.#refusal !== null) throw this.#refusal;
  }

  /** Rejects if the caller may not read the rows any more. Await it before rows are shown. */
  async require(): Promise<void> {
    this.throwIfEnded();
    if (this.#timer.nowMs() - this.#checkedMs >= everyMs) await this.#checkNow();
  }

  stop(): void {
    this.#cancel();
    this.#isStopped = true;
  }

  readonly #tick = (): void => {
    this.#checkNow().then(
      () => {
        if (!this.#isStopped) this.#cancel = this.#timer.after(everyMs, this.#tick);
      },
      () => undefined,
    );
  };

  /** Two checks at the same time are one. */
  #checkNow(): Promise<void> {
    this.#checking ??= this.#run().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #run(): Promise<void> {
    const startedMs = this.#timer.nowMs();
    try {
      await this.#check();
      this.#checkedMs = startedMs;
    } catch (error) {
      const reason = asServiceError(error);
      this.#refusal = reason;
      if (!this.#isStopped) this.#ended(reason);
      throw reason;
    }
  }
}
