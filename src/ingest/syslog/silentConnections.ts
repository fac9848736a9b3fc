import type { Socket } from 'node:net';
import type { Clock } from '../../core/clock.ts';

/** A connection that has sent no message for this long loses its place if another one needs it. */
export const silentMsMax = 5 * 60_000;

/** When each connection last sent a whole message, so that silent ones do not keep others out for ever. */
export class SilentConnections {
  readonly #clock: Clock;
  readonly #heardMicros = new Map<Socket, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(socket: Socket): void {
    this.#heardMicros.set(socket, this.#clock.nowMicros());
  }

  remove(socket: Socket): void {
    this.#heardMicros.delete(socket);
  }

  /** Runs the work on messages that the connection sent. It does not count as silent meanwhile. */
  async hear(socket: Socket, work: () => Promise<void>): Promise<void> {
    this.#heardMicros.set(socket, Number.POSITIVE_INFINITY);
    await work();
    this.#heardMicros.set(socket, this.#clock.nowMicros());
  }

  /** Closes the connection that has been silent longest, if that is long enough. Returns whether there is one. */
  closeOne(): boolean {
    const [longest] = [...this.#heardMicros].sort(([, a], [, b]) => (a < b ? -1 : 1));
    if (longest === undefined) return false;
    const [socket, heardMicros] = longest;
    if (this.#clock.nowMicros() - heardMicros < silentMsMax * 1000) return false;
    this.remove(socket);
    socket.destroy(new Error('the connection was silent'));
    return true;
  }
}
