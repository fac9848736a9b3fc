import { Agent, request } from 'node:http';
import { token } from '../benchedService.ts';

export interface HoldAnswer {
  readonly status: number;
  readonly code: string;
  readonly bytes: number;
  /** The beginning of an error's detail. */
  readonly detail: string;
}

/** Sends requests to one service. Only the status and code of an answer matter here. */
export class HoldClient {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = url;
  }

  send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: Uint8Array | string,
  ): Promise<HoldAnswer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#url}${path}`,
        { method, agent: this.#agent, headers: { 'x-api-key': token, ...headers } },
        (response) => {
          const shown: Buffer[] = [];
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (response.statusCode !== 200 && bytes < 64 * 1024) shown.push(chunk);
          });
          response.once('error', reject);
          response.once('end', () => {
            const text = Buffer.concat(shown).toString();
            const code = /"code":"([a-z_.]+)"/.exec(text)?.[1] ?? '';
            resolve({ status: response.statusCode ?? 0, code, bytes, detail: text.slice(0, 400) });
          });
        },
      );
      sent.once('error', reject);
      sent.end(body);
    });
  }

  json(method: string, path: string, value: unknown): Promise<HoldAnswer> {
    return this.send(method, path, { 'content-type': 'application/json' }, JSON.stringify(value));
  }

  /** Calls an endpoint so that its query runs. */
  call(endpoint: string, parameters: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
    return this.send(
      'POST',
      `/api/endpoints/query/${endpoint}`,
      { 'content-type': 'application/x-www-form-urlencoded', 'cache-control': 'no-cache', ...headers },
      new URLSearchParams(parameters).toString(),
    );
  }

  end(): void {
    this.#agent.destroy();
  }
}
