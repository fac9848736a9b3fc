import type { ServerResponse } from 'node:http';
import { ByteBudget } from '../core/concurrency/byteBudget.ts';
import { ServiceError } from '../core/errors.ts';

/** The bytes of the budget that one answer holds, until its response has closed. */
export interface AnswerShare {
  /**
   * Says how many bytes the answer has by now, while it is made and when it is whole. Throws `query.overloaded` if the budget
   * has no room for more.
   */
  hold(bytes: number): void;
}

/**
 * Bounds the bytes of answers that are being made, or that clients have not taken yet, so that clients which do not read
 * cannot exhaust the memory.
 */
export class AnswerBudget {
  readonly #budget: ByteBudget;

  constructor(bytesMax: number) {
    this.#budget = new ByteBudget(bytesMax);
  }

  hasRoom(owner: string, bytes: number): boolean {
    return this.#budget.hasRoom(owner, bytes);
  }

  open(owner: string, response: ServerResponse): AnswerShare {
    let heldBytes = 0;
    const change = (bytes: number) => {
      this.#budget.change(owner, bytes);
      heldBytes += bytes;
    };
    response.once('close', () => change(-heldBytes));
    return {
      hold: (bytes) => {
        // The client has left, so nothing is sent.
        if (response.destroyed) return;
        const more = bytes - heldBytes;
        if (more > 0 && !this.hasRoom(owner, more)) {
          throw new ServiceError(
            'query.overloaded',
            'Too many large answers wait until their callers read them, so this one was not sent. Read the others, then send the call again after the time in Retry-After.',
            { retryAfterSeconds: 1 },
          );
        }
        change(more);
      },
    };
  }
}
