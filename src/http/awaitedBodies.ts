import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyTooLarge } from './readBody.ts';

/**
 * Bodies that their clients send only when they are told to go on (`Expect: 100-continue`; RFC 9110, section 10.1.1).
 * They are told when the body is about to be read: what is refused before, for its token or its length, is not sent.
 */
export class AwaitedBodies {
  readonly #responses = new WeakMap<IncomingMessage, ServerResponse>();

  add(request: IncomingMessage, response: ServerResponse): void {
    this.#responses.set(request, response);
  }

  /**
   * To be called before a body of at most `bytesMax` bytes is read.
   *
   * @throws ServiceError `request.too_large` where it is announced as larger, and not sent yet
   */
  ask(request: IncomingMessage, bytesMax: number): void {
    const response = this.#responses.get(request);
    if (response === undefined) return;
    this.#responses.delete(request);
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw bodyTooLarge(bytesMax);
    response.writeContinue();
  }
}
