import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { endpointIdOf } from '../bareEngine.ts';
import type { BenchedQuery } from '../benchedQueries.ts';
import { token } from '../benchedService.ts';

const agent = new Agent({ keepAlive: true });

export interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Calls an endpoint and reads the whole answer, from the cache only if `isCacheAsked`. Throws if the status is not 200.
 */
export function getOverHttp(
  url: string,
  { definition, parameters }: BenchedQuery,
  { isCacheAsked }: { readonly isCacheAsked: boolean },
): Promise<Got> {
  const path = `/api/endpoints/query/${endpointIdOf(definition)}?${new URLSearchParams(parameters)}`;
  const headers = { 'x-api-key': token, ...(isCacheAsked ? {} : { 'cache-control': 'no-cache' }) };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { agent, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const body = Buffer.concat(parts);
        if (response.statusCode === 200) resolve({ headers: response.headers, body });
        else reject(new Error(`${path} was answered with ${response.statusCode}: ${body.toString()}`));
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}
