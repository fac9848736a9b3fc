import { createServer, type ServerResponse } from 'node:http';
import { listenLocally } from '../../../test/support/listenLocally.ts';

/** The data of every export. */
export const exportedData = Buffer.from(Array.from({ length: 5000 }, (_, n) => n % 256));

/** What the service says of an export. */
export interface KnownExport {
  readonly id: string;
  readonly format: string;
  readonly state: string;
  readonly rows: number;
  readonly bytes: number;
  readonly truncated_by: string | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

const running = { state: 'running', rows: 1, bytes: 10, truncated_by: null, error: null };

/** A service with exports, whose connections break and whose answers change as a test wants. */
export class ExportService {
  /** By ID, such as `export-1`. */
  readonly exports = new Map<string, KnownExport>();
  /** Changes of the next export, one for each look at it; the last one stays. */
  states: readonly Partial<KnownExport>[] = [{}, { state: 'complete', rows: 7 }];
  /** After how many bytes the connection breaks, for each download. */
  breaks: number[] = [];
  /** How many requests with GET are answered with 503 before the next answer. */
  refusals = 0;
  /** The problem that the next calls are refused with. */
  refusal: { readonly code: string; readonly status: number } | null = null;
  /** Whether it knows the token of requests. */
  isKnown = true;
  entityTag = '"tag"';
  headers: Readonly<Record<string, string>> = {};
  readonly requests: string[] = [];
  #begun = 0;
  readonly #looks = new Map<string, number>();
  readonly #server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      const sent = [headers.prefer, headers.range, headers['if-range'], body].filter(Boolean);
      this.requests.push([method, url, ...sent].join(' '));
      const refuse = (status: number, code: string) =>
        response
          .writeHead(status, { 'retry-after': '1' })
          .end(JSON.stringify({ code, status, error: { message: 'No.' } }));
      if (!this.isKnown) {
        refuse(401, 'auth.invalid');
        return;
      }
      if (this.refusals > 0 && method === 'GET') {
        this.refusals--;
        refuse(503, 'service.stopping');
        return;
      }
      if (method === 'POST' && this.refusal !== null) {
        refuse(this.refusal.status, this.refusal.code);
        return;
      }
      if (url === '/api/exports') {
        const view = { endpoint: { name: 'logs.all' }, created_at: '2026-05-01T12:00:00Z', expires_at: null };
        response.end(JSON.stringify({ exports: [...this.exports.values()].map((each) => ({ ...each, ...view })) }));
        return;
      }
      const [, id = this.#begin(new URLSearchParams(body))] = /^\/api\/exports\/([^/?]+)/.exec(url) ?? [];
      const known = this.exports.get(id);
      if (known === undefined) refuse(404, 'export.unknown');
      else if (method === 'DELETE') {
        this.exports.delete(id);
        response.end('{}');
      } else if (url.includes('/data'))
        this.#sendData(
          Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0),
          String(headers['if-range'] ?? this.entityTag),
          response,
        );
      else response.end(JSON.stringify(method === 'GET' ? this.#look(known) : known));
    });
  });

  async listen(): Promise<string> {
    return await listenLocally(this.#server);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #begin(parameters: URLSearchParams): string {
    const id = `export-${++this.#begun}`;
    this.exports.set(id, { id, format: parameters.get('format') ?? '', ...running });
    return id;
  }

  #look(known: KnownExport): KnownExport {
    const looks = this.#looks.get(known.id) ?? 0;
    this.#looks.set(known.id, looks + 1);
    return { ...known, ...this.states[Math.min(looks, this.states.length - 1)] };
  }

  #sendData(asked: number, ifRange: string, response: ServerResponse): void {
    const from = ifRange === this.entityTag ? asked : 0;
    const { length } = exportedData;
    if (from >= length) {
      response.writeHead(416, { 'content-range': `bytes */${length}` }).end('{}');
      return;
    }
    const breakAt = this.breaks.shift();
    response.writeHead(from === 0 ? 200 : 206, {
      'content-length': String(length - from),
      etag: this.entityTag,
      ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${length - 1}/${length}` }),
      ...this.headers,
    });
    if (breakAt === undefined) response.end(exportedData.subarray(from));
    else response.write(exportedData.subarray(from, breakAt), () => response.destroy());
  }
}
