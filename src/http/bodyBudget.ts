import type { ErrorCode } from '../core/errorCatalogue.ts';
import { ServiceError } from '../core/errors.ts';

/** The bytes of the budget that one body holds. */
export interface BodyShare {
  /** Throws the code that the share was opened with if the budget is exhausted. */
  growBy(bytes: number): void;
  /** Gives everything back. */
  release(): void;
}

/** Bounds the bytes of all request bodies in memory, so that many large ones cannot exhaust it. */
export class BodyBudget {
  readonly #bytesMax: number;
  #heldBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  open(codeWhenFull: Extract<ErrorCode, 'query.overloaded' | 'ingest.overloaded'>): BodyShare {
    let ownBytes = 0;
    return {
      growBy: (bytes) => {
        if (this.#heldBytes + bytes > this.#bytesMax) {
          throw new ServiceError(
            codeWhenFull,
            'Too many large requests are arriving at once, so this one was not accepted. Send it again after the time in Retry-After.',
            { retryAfterSeconds: 1 },
          );
        }
        this.#heldBytes += bytes;
        ownBytes += bytes;
      },
      release: () => {
        this.#heldBytes -= ownBytes;
        ownBytes = 0;
      },
    };
  }
}
