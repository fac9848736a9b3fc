import { formatNames } from '../../src/formats/resultFormat.ts';
import type { WholeService } from './wholeService.ts';

/** Every format but the one of other tests. */
export const otherFormats = formatNames.filter((name) => name !== 'json');

/** Calls an endpoint for a format, and gives everything that the answer shows: status, headers and body. */
export async function inFormat(
  { url, adminToken }: Pick<WholeService, 'url' | 'adminToken'>,
  endpoint: string,
  parameters: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly shown: string }> {
  const response = await fetch(`${url}/api/endpoints/query/${endpoint}`, {
    method: 'POST',
    headers: { 'x-api-key': adminToken, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(parameters),
  });
  const body = Buffer.from(await response.arrayBuffer());
  const shown = `${[...response.headers].map(([name, value]) => `${name}: ${value}\n`).join('')}\n${body.toString('utf8')}`;
  return { status: response.status, headers: response.headers, shown };
}
