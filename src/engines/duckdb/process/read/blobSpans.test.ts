import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BlobSpans } from './blobSpans.ts';

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => connection.closeSync());

const textOf = ({ bytes }: BlobSpans, from: number, to: number) => Buffer.from(bytes).toString('utf8', from, to);

/**
 * The values of the first column as the spans give them, one by one and together where they touch, and as the binding gives
 * each of them.
 */
async function valuesOf(sql: string) {
  const result = await connection.stream(sql);
  const spanned: (string | null)[] = [];
  const together: (string | null)[] = [];
  const each: (string | null)[] = [];
  let runs = 0;
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const spans = new BlobSpans(chunk, 0);
    const readOne = (row: number) => (spans.read(row) ? textOf(spans, spans.from, spans.to) : null);
    for (let row = 0; row < chunk.rowCount; row++) spanned.push(readOne(row));
    for (let row = 0; row < chunk.rowCount; ) {
      const ends: number[] = [];
      const count = spans.readTouching(row, rowsMax, bytesMax, ends);
      expect([ends.length, spans.to - spans.from <= bytesMax || count === 0]).toEqual([count, true]);
      expect(count).toBeLessThanOrEqual(rowsMax);
      if (count === 0) together.push(readOne(row));
      for (const [i, end] of ends.entries())
        together.push(textOf(spans, spans.from + (ends[i - 1] ?? 0), spans.from + end));
      row += count || 1;
      runs++;
    }
    for (const value of chunk.getColumnValues(0)) each.push(value === null ? null : String(value));
  }
  return { spanned, together, each, runs };
}

const rowsMax = 500;
const bytesMax = 64 * 1024;

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
  const { spanned, together, each } = await valuesOf(sql);
  expect(each.length).toBeGreaterThan(100);
  expect(spanned).toEqual(each);
  expect(together).toEqual(each);
});

it('reads values together that the engine wrote one after the other', async () => {
  const { each, runs } = await valuesOf(
    `SELECT concat('a row of more than twelve bytes', n) FROM range(20000) AS t(n)`,
  );
  expect(each.length / runs).toBeGreaterThan(50);
});
