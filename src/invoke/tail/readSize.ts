import { ServiceError } from '../../core/errors.ts';
import type { TailPlace } from './tailIds.ts';

/** What a read has to say about the numbers that it was asked for. */
export interface ReadPart {
  /** The place up to which it is complete. */
  readonly end: TailPlace;
  /** Whether there is more before the last number. */
  readonly isCut: boolean;
}

/** By error that fewer arrival numbers may avoid: by how much their number is divided. */
const divisors: Partial<Record<ServiceError['code'], number>> = {
  'query.fetch_max': 8,
  'query.memory': 8,
  'query.timeout': 64,
};

/** How many arrival numbers are read at once: fewer if they are too much for the engine. */
export class ReadSize {
  #numbers = Number.POSITIVE_INFINITY;

  /**
   * Reads the numbers after `from` up to `to`, or as many of the first ones, up to `most`, as the engine can read; it is cut
   * then. `read` is given the last number. Throws its errors: `query.fetch_max` and `query.memory` only if one number is too
   * much, but each `query.timeout`, because the engine may hang; the next read has fewer numbers.
   */
  async read<T extends ReadPart>(
    from: number,
    to: number,
    read: (to: number) => Promise<T>,
    most: number = to,
  ): Promise<T> {
    for (;;) {
      const numbers = Math.min(most - from, this.#numbers);
      try {
        const part = await read(from + numbers);
        if (this.#numbers !== Number.POSITIVE_INFINITY) this.#numbers = this.#next(from, numbers, part);
        return numbers < to - from ? { ...part, isCut: true } : part;
      } catch (error) {
        const code = error instanceof ServiceError ? error.code : undefined;
        const divisor = code === undefined ? undefined : divisors[code];
        if (divisor === undefined || numbers <= 1) throw error;
        this.#numbers = Math.ceil(numbers / divisor);
        if (code === 'query.timeout') throw error;
      }
    }
  }

  /** The size of the read after one that ended: not much more than that took, because the engine may fetch all of it. */
  #next(from: number, numbers: number, { end, isCut }: ReadPart): number {
    return isCut ? Math.max(1, 2 * (end.arrival - from)) : Math.max(this.#numbers, 2 * numbers);
  }
}
