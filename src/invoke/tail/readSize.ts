import { ServiceError } from '../../core/errors.ts';
import type { TailPlace } from './tailIds.ts';

/** What a read has to say about the numbers that it was asked for. */
export interface ReadPart {
  /** The place up to which it is complete. */
  readonly end: TailPlace;
  /** Whether there is more before the last number. */
  readonly isCut: boolean;
}

/** How many arrival numbers are read at once: fewer if the engine would fetch too many events for them. */
export class ReadSize {
  #numbers = Number.POSITIVE_INFINITY;

  /**
   * Reads the numbers after `from` up to `to`, or as many of the first ones as the engine can fetch; it is cut then. `read` is
   * given the last number. Throws its errors: `query.fetch_max` only if one number is too much.
   */
  async read<T extends ReadPart>(from: number, to: number, read: (to: number) => Promise<T>): Promise<T> {
    for (;;) {
      const numbers = Math.min(to - from, this.#numbers);
      try {
        const part = await read(from + numbers);
        if (this.#numbers !== Number.POSITIVE_INFINITY) this.#numbers = this.#next(from, numbers, part);
        return numbers < to - from ? { ...part, isCut: true } : part;
      } catch (error) {
        if (!isTooMuch(error) || numbers <= 1) throw error;
        this.#numbers = Math.ceil(numbers / 8);
      }
    }
  }

  /** The size of the read after one that ended: not much more than that took, because the engine may fetch all of it. */
  #next(from: number, numbers: number, { end, isCut }: ReadPart): number {
    return isCut ? Math.max(1, 2 * (end.arrival - from)) : Math.max(this.#numbers, 2 * numbers);
  }
}

/** Whether the engine would have fetched too many events. */
export function isTooMuch(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'query.fetch_max';
}
