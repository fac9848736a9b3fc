import { ServiceError } from '../../core/errors.ts';
import type { TailPlace } from './tailIds.ts';

/** What a read has to say about the numbers that it was asked for. */
export interface ReadPart {
  /** The place up to which it is complete. */
  readonly end: TailPlace;
  /** Whether there is more before the last number. */
  readonly isCut: boolean;
}

/** Errors that fewer arrival numbers may avoid: the engine would fetch too many events, or has no memory or time for them. */
const tooMuch: ReadonlySet<ServiceError['code']> = new Set(['query.fetch_max', 'query.memory', 'query.timeout']);

/** How many arrival numbers are read at once: fewer if they are too much for the engine. */
export class ReadSize {
  #numbers = Number.POSITIVE_INFINITY;

  /**
   * Reads the numbers after `from` up to `to`, or as many of the first ones as the engine can read; it is cut then. `read` is
   * given the last number. Throws its errors: those of `tooMuch` only if one number is too much.
   */
  async read<T extends ReadPart>(from: number, to: number, read: (to: number) => Promise<T>): Promise<T> {
    for (;;) {
      const numbers = Math.min(to - from, this.#numbers);
      try {
        const part = await read(from + numbers);
        if (this.#numbers !== Number.POSITIVE_INFINITY) this.#numbers = this.#next(from, numbers, part);
        return numbers < to - from ? { ...part, isCut: true } : part;
      } catch (error) {
        if (!(error instanceof ServiceError && tooMuch.has(error.code)) || numbers <= 1) throw error;
        this.#numbers = Math.ceil(numbers / 8);
      }
    }
  }

  /** The size of the read after one that ended: not much more than that took, because the engine may fetch all of it. */
  #next(from: number, numbers: number, { end, isCut }: ReadPart): number {
    return isCut ? Math.max(1, 2 * (end.arrival - from)) : Math.max(this.#numbers, 2 * numbers);
  }
}
