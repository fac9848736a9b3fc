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

/** Not the ID of a token. */
const unverified = 'unverified';

type CodeWhenFull = Extract<ErrorCode, 'query.overloaded' | 'ingest.overloaded'>;

/**
 * Bounds the bytes of all request bodies in memory, so that many large ones cannot exhaust it. A body may take minutes to
 * arrive, so no owner can hold all of the budget (byteBudget.ts).
 */
export class BodyBudget {
  readonly #budget: ByteBudget;
  /** What the owner of all unverified bodies may hold, which their networks share. */
  readonly #unverified: ByteBudget;

  constructor(bytesMax: number) {
    this.#budget = new ByteBudget(bytesMax);
    this.#unverified = new ByteBudget(() => this.#budget.mostBytes(unverified));
  }

  get heldBytes(): number {
    return this.#budget.heldBytes;
  }

  open(owner: string, codeWhenFull: CodeWhenFull): BodyShare {
    return shareOf([{ budget: this.#budget, owner }], codeWhenFull);
  }

  /**
   * Opens the share of a body from someone who is known only by a network. All these bodies together are those of one owner,
   * because someone may have many networks. A lone network may hold half of what this owner may: a quarter of the whole budget.
   */
  openUnverified(sender: string, codeWhenFull: CodeWhenFull): BodyShare {
    const all = { budget: this.#budget, owner: unverified };
    return shareOf([all, { budget: this.#unverified, owner: sender }], codeWhenFull);
  }
}

interface Part {
  readonly budget: ByteBudget;
  readonly owner: string;
}

function shareOf(parts: readonly Part[], codeWhenFull: CodeWhenFull): BodyShare {
  let ownBytes = 0;
  const change = (bytes: number) => {
    for (const { budget, owner } of parts) budget.change(owner, bytes);
    ownBytes += bytes;
  };
  return {
    growBy: (bytes) => {
      if (parts.some(({ budget, owner }) => !budget.hasRoom(owner, bytes))) {
        throw new ServiceError(
          codeWhenFull,
          'Too many large requests are arriving at once, so this one was not accepted. Send it again after the time in Retry-After.',
          { retryAfterSeconds: 1 },
        );
      }
      change(bytes);
    },
    release: () => change(-ownBytes),
  };
}
