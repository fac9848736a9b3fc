import { Agent, request } from 'node:http';
import type { TestClickHouse } from '../../test/clickhouse/startClickHouse.ts';
import { benchUser, place } from './loadedClickHouse.ts';

/** A statement by hand, with values for its parameters in the form `{name:Type}`. */
export interface HandStatement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Asks ClickHouse directly, over one connection, as a client without Logmill would. */
export class HandClient {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor({ url }: TestClickHouse) {
    this.#url = url;
  }

  /** Reads the whole answer, and returns its bytes. Throws an Error with ClickHouse's text if the statement failed. */
  ask({ sql, parameters }: HandStatement): Promise<Buffer> {
    const query = new URLSearchParams({
      database: place.database,
      wait_end_of_query: '1',
      ...Object.fromEntries(Object.entries(parameters).map(([name, value]) => [`param_${name}`, value])),
    });
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#url}/?${query}`,
        {
          method: 'POST',
          agent: this.#agent,
          headers: { 'X-ClickHouse-User': benchUser.name, 'X-ClickHouse-Key': benchUser.password },
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.once('error', reject);
          response.once('end', () => {
            const body = Buffer.concat(parts);
            if (response.statusCode === 200) resolve(body);
            else reject(new Error(`${sql}\nwas answered with: ${body.toString()}`));
          });
        },
      );
      sent.once('error', reject);
      sent.end(`${sql}\nFORMAT JSONCompactEachRow`);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The rows of an answer. */
export function rowsOf(body: Buffer): readonly (readonly unknown[])[] {
  return body
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as readonly unknown[]);
}
