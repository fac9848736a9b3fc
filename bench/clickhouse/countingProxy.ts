import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What came back for one statement. */
export interface SeenStatement {
  readonly sql: string;
  /** Of the body. */
  readonly bytes: number;
  readonly rows: number;
  /** Rows that ClickHouse read. */
  readonly readRows: number;
}

/** Stands between a node and ClickHouse, and notes what comes back. Not for timing: it costs time itself. */
export class CountingProxy {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  #seen: SeenStatement[] = [];

  private constructor(target: string) {
    this.#server = createServer((incoming, outgoing) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.once('end', () => {
        const body = Buffer.concat(parts);
        const sent = request(
          `${target}${incoming.url}`,
          { method: incoming.method, headers: incoming.headers, agent: this.#agent },
          (response) => {
            let bytes = 0;
            outgoing.writeHead(response.statusCode ?? 502, response.headers);
            response.on('data', (part: Buffer) => {
              bytes += part.length;
            });
            response.once('end', () => {
              const summary = JSON.parse(String(response.headers['x-clickhouse-summary'] ?? '{}'));
              const { result_rows: rows = 0, read_rows: readRows = 0 } = summary as Record<string, string>;
              this.#seen.push({ sql: body.toString(), bytes, rows: Number(rows), readRows: Number(readRows) });
            });
            response.pipe(outgoing);
          },
        );
        sent.once('error', () => outgoing.destroy());
        sent.end(body);
      });
    });
    this.#server.keepAliveTimeout = 60_000;
  }

  static async before(target: string): Promise<CountingProxy> {
    const proxy = new CountingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The statements since the last call. */
  take(): readonly SeenStatement[] {
    const seen = this.#seen;
    this.#seen = [];
    return seen;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
