import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionPlaces, Place } from '../core/connectionPlaces.ts';

/** A request that has not been answered yet. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Open requests of a connection from which no more is read until some are answered. Node would read all that a client
 * pipelines, and hold the service up while it ends thousands of them when the client leaves.
 */
const pipelinedMax = 16;

/**
 * Tracks which connections have open requests. Node counts a connection without any request as busy, so its own
 * shutdown would wait for browsers that connected in advance.
 */
export class Connections {
  /** Open requests by connection, in the order of arrival. */
  readonly #exchanges = new Map<Socket, Set<Exchange>>();
  /** Connections with a pending refusal, and the check to repeat after each answer. */
  readonly #broken = new Map<Socket, () => void>();
  /** By connection, the last request that was answered before it had arrived completely. */
  readonly #answeredEarly = new Map<Socket, IncomingMessage>();
  readonly #places: ConnectionPlaces;
  readonly #whenFull: () => void;
  readonly #placeOf = new Map<Socket, Place>();
  #isClosing = false;

  /** `whenFull` is called for each connection that is closed because there are too many. */
  constructor(places: ConnectionPlaces, whenFull: () => void) {
    this.#places = places;
    this.#whenFull = whenFull;
  }

  opened(socket: Socket): void {
    const exchanges = new Set<Exchange>();
    if (this.#isClosing || !this.#hasPlace(socket, exchanges)) {
      socket.destroy();
      return;
    }
    this.#exchanges.set(socket, exchanges);
    // Node resumes the connection for its own reasons, such as the end of an answer. No body is waited for then: only the
    // last of several requests can be incomplete, and its turn has not come.
    socket.on('resume', () => {
      if (exchanges.size > pipelinedMax) socket.pause();
    });
    socket.once('close', () => {
      this.#exchanges.delete(socket);
      this.#placeOf.delete(socket);
      this.#broken.delete(socket);
      this.#answeredEarly.delete(socket);
    });
  }

  /** A connection keeps its place while it waits for an answer. One whose requests are all incomplete may lose it. */
  #hasPlace(socket: Socket, exchanges: ReadonlySet<Exchange>): boolean {
    const taken = this.#places.take(socket, () => [...exchanges].some(({ request }) => request.complete));
    if (taken !== 'taken') this.#whenFull();
    const place = this.#places.find(socket);
    if (taken === 'refused' || place === undefined) return false;
    this.#placeOf.set(socket, place);
    return true;
  }

  /** Call this when a request has arrived, before it is answered. */
  requestBegan(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const exchanges = this.#exchanges.get(socket);
    if (exchanges === undefined) return;
    const exchange = { request, response };
    const place = this.#placeOf.get(socket);
    place?.heard();
    exchanges.add(exchange);
    if (exchanges.size === pipelinedMax + 1) socket.pause();
    response.once('close', () => {
      exchanges.delete(exchange);
      place?.heard();
      if (exchanges.size === pipelinedMax) socket.resume();
      if (!request.complete && !socket.destroyed) this.#answeredEarly.set(socket, request);
      this.#broken.get(socket)?.();
    });
  }

  /**
   * Refuses a request that is malformed or incomplete, but only after earlier requests on the connection were answered
   * (RFC 9112, section 9.3.2). If the request itself was already answered, the connection just closes.
   *
   * @param graceMs if the request had to wait for earlier answers, it was not read meanwhile, so it gets this much time
   *   to arrive; null if more bytes would not repair it
   */
  refuseInTurn(socket: Socket, graceMs: number | null, refuse: () => void): void {
    const exchanges = this.#exchanges.get(socket);
    // After a failure, the parser fails again for each packet.
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

  /** Destroys idle connections now, and new ones as they open. */
  destroyIdle(): void {
    this.#isClosing = true;
    for (const [socket, exchanges] of this.#exchanges) if (exchanges.size === 0) socket.destroy();
  }
}
