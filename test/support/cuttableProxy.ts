import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP server that passes connections on to a port of this machine, and can cut them off or hold them up. */
export class CuttableProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  readonly #state: { isCut: boolean };

  private constructor(port: number, server: Server, sockets: Set<Socket>, state: { isCut: boolean }) {
    this.port = port;
    this.#server = server;
    this.#sockets = sockets;
    this.#state = state;
  }

  static async to(targetPort: number): Promise<CuttableProxy> {
    const sockets = new Set<Socket>();
    const state = { isCut: false };
    const server = createServer((near) => {
      if (state.isCut) {
        near.destroy();
        return;
      }
      const far = connect(targetPort, '127.0.0.1');
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('close', () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far).pipe(near);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
    return new CuttableProxy(address.port, server, sockets, state);
  }

  /** Breaks every connection, and every new one at once. */
  cut(): void {
    this.#state.isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Passes nothing on any more, as if the machine behind had vanished. New connections are passed on. */
  hold(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  restore(): void {
    this.#state.isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
