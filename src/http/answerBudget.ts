import type { ServerResponse } from 'node:http';
import { ByteBudget } from '../core/concurrency/byteBudget.ts';
import { ServiceError } from '../core/errors.ts';

/** Bounds the bytes of answers that clients have not taken yet, so that clients which do not read cannot exhaust the memory. */
export class AnswerBudget {
  readonly #budget: ByteBudget;

  constructor(bytesMax: number) {
    this.#budget = new ByteBudget(bytesMax);
  }

  hasRoom(owner: string, bytes: number): boolean {
    return this.#budget.hasRoom(owner, bytes);
  }

  /** Counts an answer until its response has closed. Throws `query.overloaded` if there is no room for its owner. */
  hold(owner: string, bytes: number, response: ServerResponse): void {
    // The client has left, so nothing is sent.
    if (response.destroyed) return;
    if (!this.hasRoom(owner, bytes)) {
      throw new ServiceError(
        'query.overloaded',
        'Too many large answers wait until their callers read them, so this one was not sent. Read the others, then send the call again after the time in Retry-After.',
        { retryAfterSeconds: 1 },
      );
    }
    this.#budget.change(owner, bytes);
    response.once('close', () => this.#budget.change(owner, -bytes));
  }
}
