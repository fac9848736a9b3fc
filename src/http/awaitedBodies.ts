import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyTooLarge } from './readBody.ts';

/**
 * Request bodies whose clients wait for `100 Continue` before they send them (RFC 9110, section 10.1.1). The service
 * sends it just before it reads the body, so a request refused for its token or length never sends one.
 */
export class AwaitedBodies {
  readonly #responses = new WeakMap<IncomingMessage, ServerResponse>();

  add(request: IncomingMessage, response: ServerResponse): void {
    this.#responses.set(request, response);
  }

  /**
   * Asks the client for its body, if it waits. Call this before you read a body.
   *
   * @throws ServiceError `request.too_large` if the client waits and announces more than `bytesMax` bytes
   */
  ask(request: IncomingMessage, bytesMax: number): void {
    const response = this.#responses.get(request);
    if (response === undefined) return;
    this.#responses.delete(request);
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw bodyTooLarge(bytesMax);
    response.writeContinue();
  }
}
