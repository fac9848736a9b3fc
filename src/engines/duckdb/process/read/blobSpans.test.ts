import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BlobSpans } from './blobSpans.ts';

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => connection.closeSync());

/** The values of the first column as the spans give them, and as the binding gives each of them. */
async function valuesOf(sql: string) {
  const result = await connection.stream(sql);
  const spanned: (string | null)[] = [];
  const each: (string | null)[] = [];
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const spans = new BlobSpans(chunk, 0);
    for (let row = 0; row < chunk.rowCount; row++)
      spanned.push(spans.read(row) ? Buffer.from(spans.bytes).toString('utf8', spans.from, spans.to) : null);
    for (const value of chunk.getColumnValues(0)) each.push(value === null ? null : String(value));
  }
  return { spanned, each };
}

const lengths = 'CASE n % 7 WHEN 0 THEN 0 WHEN 1 THEN 12 WHEN 2 THEN 13 WHEN 3 THEN n % 300 ELSE 40 END';

it.each([
  [
    'that are written side by side',
    `SELECT concat(n, repeat('é', CAST(${lengths} AS BIGINT))) FROM range(10000) AS t(n)`,
  ],
  [
    'with NULLs',
    `SELECT CASE WHEN n % 3 > 0 THEN repeat(chr(97 + CAST(n % 26 AS INTEGER)), n % 50) END FROM range(5000) AS t(n)`,
  ],
  ['of a sorted result', `SELECT repeat(hash(n)::VARCHAR, 3) AS t FROM range(5000) AS t(n) ORDER BY t`],
  [
    'of which one is longer than a run',
    `SELECT repeat('x', CASE WHEN n = 100 THEN 3000000 ELSE 1000 END) FROM range(300) AS t(n)`,
  ],
  ['that are one constant', `SELECT 'a text of more than twelve bytes' FROM range(3000)`],
  [
    'of a dictionary',
    `SELECT t FROM (SELECT unnest(['first text of them', 'second text', NULL]) AS t) CROSS JOIN range(2000)`,
  ],
])('gives the bytes of values %s', async (_, sql) => {
  const { spanned, each } = await valuesOf(sql);
  expect(each.length).toBeGreaterThan(100);
  expect(spanned).toEqual(each);
});
