import { formatNames, resultFormat } from '../../src/formats/resultFormat.ts';
import { engineUnderTest } from './enginesUnderTest.ts';
import { readParquet } from './readParquet.ts';
import type { WholeService } from './wholeService.ts';

/** Every format of the engine but the one of other tests. */
export const otherFormats = formatNames.filter(
  (name) => name !== 'json' && (name !== 'parquet' || engineUnderTest.states.parquet),
);

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
  const isParquet = response.headers.get('content-type') === resultFormat('parquet').mediaType;
  const text = isParquet ? await parquetText(body) : body.toString('utf8');
  const shown = `${[...response.headers].map(([name, value]) => `${name}: ${value}\n`).join('')}\n${text}`;
  return { status: response.status, headers: response.headers, shown };
}

/** Everything that a Parquet file shows, which is compressed, and its bytes for what is not. */
async function parquetText(body: Buffer): Promise<string> {
  const { columns, rows, metadata } = await readParquet(body);
  return `${JSON.stringify([columns, rows, [...metadata]])}\n${body.toString('utf8')}`;
}
