import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connection that an answer is written to. Unlike a ServerResponse it can send headers one by one while a query runs, as
 * ClickHouse reports progress, and it can end without the last chunk, so that a client sees that the transfer is not complete.
 */
export class Wire {
  readonly #response: ServerResponse;
  /** Set once headers have been sent before the head was complete: then this class writes the rest of the answer itself. */
  #socket: Socket | null = null;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Whether the status has been sent. */
  get isBegun(): boolean {
    return this.#socket !== null || this.#response.headersSent;
  }

  /** Whether the client has closed the connection. */
  get isGone(): boolean {
    return this.#response.closed || this.#response.socket === null;
  }

  /** Sends one header, and the status before the first one. The answer is a 200 from now on. */
  sendEarly(name: string, value: string): void {
    if (this.#socket === null) {
      this.#socket = this.#response.socket;
      this.#socket?.write('HTTP/1.1 200 OK\r\nConnection: close\r\n');
    }
    this.#socket?.write(`${name}: ${value}\r\n`);
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#socket === null) {
      this.#response.writeHead(status, { ...headers, 'Transfer-Encoding': 'chunked' });
      return;
    }
    const lines = Object.entries({ ...headers, 'Transfer-Encoding': 'chunked' }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    this.#socket.write(`${lines.join('')}\r\n`);
  }

  /** Resolves once the bytes are with the operating system, or the client has gone. */
  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0 || this.isGone) return;
    const out = this.#socket ?? this.#response;
    await new Promise<void>((resolve) => {
      const done = () => {
        out.off('close', done);
        resolve();
      };
      out.once('close', done);
      if (this.#socket === null) this.#response.write(bytes, done);
      else {
        this.#socket.write(`${bytes.length.toString(16)}\r\n`);
        this.#socket.write(bytes);
        this.#socket.write('\r\n', done);
      }
    });
  }

  end(): void {
    if (this.#socket === null) this.#response.end();
    else this.#socket.end('0\r\n\r\n');
  }

  /** Closes the connection after what was written, without the last chunk. */
  breakOff(): void {
    this.#response.socket?.end();
  }

  /** Closes the connection with a reset. */
  reset(): void {
    this.#response.socket?.resetAndDestroy();
  }
}
