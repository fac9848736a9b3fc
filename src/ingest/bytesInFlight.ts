import { ByteBudget } from '../core/concurrency/byteBudget.ts';
import { ServiceError } from '../core/errors.ts';

/** The bytes that one batch holds; release them when the batch is done. */
export interface BytesHeld {
  /**
   * Raises the bytes of the batch to `bytes`.
   *
   * @throws ServiceError `ingest.overloaded` if there is no room for its owner; a batch that is alone always fits.
   */
  growTo(bytes: number): void;
  release(): void;
}

/**
 * The bytes that a batch counts at least. The event log takes a limited number of batches at once, so many small ones of one
 * owner must not take the places of others.
 */
export const batchBytesMin = 32 * 1024;

/** Counts the bytes of batches in progress, to bound memory, and leaves room for every owner (byteBudget.ts). */
export class BytesInFlight {
  readonly #budget: ByteBudget;

  constructor(bytesMax: number) {
    this.#budget = new ByteBudget(bytesMax);
  }

  open(owner: string): BytesHeld {
    let held = 0;
    return {
      growTo: (bytes) => {
        const more = Math.max(bytes, batchBytesMin) - held;
        if (more <= 0) return;
        const isAlone = this.#budget.heldBytes === held;
        if (!isAlone && !this.#budget.hasRoom(owner, more)) throw overloaded();
        this.#budget.change(owner, more);
        held += more;
      },
      release: () => {
        this.#budget.change(owner, -held);
        held = 0;
      },
    };
  }
}

function overloaded(): ServiceError {
  return new ServiceError(
    'ingest.overloaded',
    'Too many events are waiting to be stored, so this batch was not accepted. Send it again in a second.',
    { retryAfterSeconds: 1 },
  );
}
