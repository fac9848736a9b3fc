import { ServiceError } from '../core/errors.ts';

/** The bytes that one batch holds; release them when the batch is done. */
export interface BytesHeld {
  /**
   * Raises the bytes of the batch to `bytes`.
   *
   * @throws ServiceError `ingest.overloaded` if there is no room; a batch that is alone always fits.
   */
  growTo(bytes: number): void;
  release(): void;
}

/** Counts the bytes of batches in progress, to bound memory. */
export class BytesInFlight {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  open(): BytesHeld {
    let held = 0;
    return {
      growTo: (bytes) => {
        const others = this.#bytes - held;
        if (others > 0 && others + bytes > this.#bytesMax) throw overloaded();
        this.#bytes += Math.max(0, bytes - held);
        held = Math.max(held, bytes);
      },
      release: () => {
        this.#bytes -= held;
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
