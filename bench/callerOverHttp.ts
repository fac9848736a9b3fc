import { Agent, request } from 'node:http';
import { endpointIdOf } from './bareEngine.ts';
import { token } from './benchedService.ts';

const agent = new Agent({ keepAlive: true });

export interface CallerAnswer {
  readonly status: number;
  readonly ms: number;
  readonly body: Buffer;
}

/** Sends a caller query to the endpoint `logs.all`; measures from sending to the last byte. */
export function callWithSql(
  url: string,
  sql: string,
  parameters: Readonly<Record<string, string>>,
): Promise<CallerAnswer> {
  return callLogs(url, { ...parameters, sql });
}

/** Sends a body with parameters and a query to the endpoint `logs.all`. */
export function callLogs(url: string, body: Readonly<Record<string, string | number>>): Promise<CallerAnswer> {
  return send(`${url}/api/endpoints/query/${endpointIdOf('logs.all')}`, JSON.stringify(body));
}

/** Sends a probe, which no query may delay. */
export function probe(url: string): Promise<CallerAnswer> {
  return send(`${url}/livez`, null);
}

function send(url: string, body: string | null): Promise<CallerAnswer> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      'x-api-key': token,
      'cache-control': 'no-cache',
      ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const sent = request(url, { agent, headers, method: body === null ? 'GET' : 'POST' }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, ms: performance.now() - startedMs, body: Buffer.concat(parts) }),
      );
    });
    sent.once('error', reject);
    sent.end(body ?? undefined);
  });
}
