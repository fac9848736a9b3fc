import type { Socket } from 'node:net';

/**
 * Knows which connections carry a request. Node counts a connection on which nothing was asked yet
 * as busy, so that its own closing would wait for every browser that connected ahead of time.
 */
export class Connections {
  readonly #requests = new Map<Socket, number>();
  #isClosing = false;

  opened(socket: Socket): void {
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    this.#requests.set(socket, 0);
    socket.once('close', () => this.#requests.delete(socket));
  }

  requestBegan(socket: Socket): void {
    const count = this.#requests.get(socket);
    if (count !== undefined) this.#requests.set(socket, count + 1);
  }

  requestEnded(socket: Socket): void {
    const count = this.#requests.get(socket);
    if (count !== undefined) this.#requests.set(socket, count - 1);
  }

  /** Breaks off those that carry no request, and from now on every new one. */
  destroyIdle(): void {
    this.#isClosing = true;
    for (const [socket, count] of this.#requests) if (count === 0) socket.destroy();
  }
}
