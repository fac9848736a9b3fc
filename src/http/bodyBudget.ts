import { ByteBudget } from '../core/concurrency/byteBudget.ts';
import type { ErrorCode } from '../core/errorCatalogue.ts';
import { ServiceError } from '../core/errors.ts';

/** The bytes of the budget that one body holds. */
export interface BodyShare {
  /** Throws the code that the share was opened with if the budget has no room for its owner. */
  growBy(bytes: number): void;
  /** Gives everything back. */
  release(): void;
}

/**
 * Bounds the bytes of all request bodies in memory, so that many large ones cannot exhaust it. A body may take minutes to
 * arrive, so no owner can hold all of the budget (byteBudget.ts).
 */
export class BodyBudget {
  readonly #budget: ByteBudget;

  constructor(bytesMax: number) {
    this.#budget = new ByteBudget(bytesMax);
  }

  get heldBytes(): number {
    return this.#budget.heldBytes;
  }

  open(owner: string, codeWhenFull: Extract<ErrorCode, 'query.overloaded' | 'ingest.overloaded'>): BodyShare {
    let ownBytes = 0;
    return {
      growBy: (bytes) => {
        if (!this.#budget.hasRoom(owner, bytes)) {
          throw new ServiceError(
            codeWhenFull,
            'Too many large requests are arriving at once, so this one was not accepted. Send it again after the time in Retry-After.',
            { retryAfterSeconds: 1 },
          );
        }
        this.#budget.change(owner, bytes);
        ownBytes += bytes;
      },
      release: () => {
        this.#budget.change(owner, -ownBytes);
        ownBytes = 0;
      },
    };
  }
}
