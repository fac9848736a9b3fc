import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request on a connection, until it has been answered. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Knows which connections carry requests. Node counts a connection on which nothing was asked yet
 * as busy, so that its own closing would wait for every browser that connected ahead of time.
 */
export class Connections {
  /** In the order in which they came. */
  readonly #exchanges = new Map<Socket, Set<Exchange>>();
  /** What is to be looked at whenever a request of the connection has been answered. */
  readonly #broken = new Map<Socket, () => void>();
  /** The last request that was answered before it had come to its end. */
  readonly #answeredEarly = new Map<Socket, IncomingMessage>();
  #isClosing = false;

  opened(socket: Socket): void {
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    this.#exchanges.set(socket, new Set());
    socket.once('close', () => {
      this.#exchanges.delete(socket);
      this.#broken.delete(socket);
      this.#answeredEarly.delete(socket);
    });
  }

  /** To be called when a request has come, before it is answered. */
  requestBegan(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const exchanges = this.#exchanges.get(socket);
    if (exchanges === undefined) return;
    const exchange = { request, response };
    exchanges.add(exchange);
    response.once('close', () => {
      exchanges.delete(exchange);
      if (!request.complete && !socket.destroyed) this.#answeredEarly.set(socket, request);
      this.#broken.get(socket)?.();
    });
  }

  /**
   * Has a request refused that is not HTTP or does not come to its end, where its answer is due: requests before it are
   * answered first (RFC 9112, section 9.3.2), and where it was answered itself, the connection only ends.
   *
   * @param graceMs how long it has for the rest where it had to wait for those answers, while nothing of it is read;
   *   null where more of it would not mend it
   */
  refuseInTurn(socket: Socket, graceMs: number | null, refuse: () => void): void {
    const exchanges = this.#exchanges.get(socket);
    // A parser that failed fails again with every packet.
    if (exchanges === undefined || this.#broken.has(socket)) return;
    let hadToWait = false;
    let wasAnswered = this.#answeredEarly.get(socket)?.complete === false;
    const look = () => {
      const own = [...exchanges].find(({ request }) => !request.complete);
      wasAnswered ||= own?.response.headersSent === true;
      if (exchanges.size > (own === undefined || wasAnswered ? 0 : 1)) {
        hadToWait = true;
        return;
      }
      this.#broken.delete(socket);
      if (wasAnswered) socket.destroySoon();
      else if (graceMs === null || !hadToWait) refuse();
      else this.#refuseLater(socket, exchanges, graceMs, refuse);
    };
    this.#broken.set(socket, look);
    look();
  }

  #refuseLater(socket: Socket, exchanges: ReadonlySet<Exchange>, graceMs: number, refuse: () => void): void {
    const timer = setTimeout(() => {
      const isWhole = [...exchanges].every(({ request }) => request.complete);
      if (exchanges.size === 0 || !isWhole) this.refuseInTurn(socket, null, refuse);
    }, graceMs);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Breaks off those that carry no request, and from now on every new one. */
  destroyIdle(): void {
    this.#isClosing = true;
    for (const [socket, exchanges] of this.#exchanges) if (exchanges.size === 0) socket.destroy();
  }
}
