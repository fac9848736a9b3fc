import type { ErrorCode } from '../core/errorCatalogue.ts';
import { ServiceError } from '../core/errors.ts';

/** A share of the budget; grows while a body arrives. */
export interface BodyShare {
  /** Throws the code that the share was opened with when all bodies together would be too much. */
  growBy(bytes: number): void;
  /** Gives everything back. */
  release(): void;
}

/** Bounds the bytes of all request bodies that are held at one time, so that many large ones cannot exhaust the memory. */
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
            'Too many large requests are arriving at once; nothing of this one was taken. Send it again after the time in Retry-After.',
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
