import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RedactedValues } from '../scripted/redactingFunctions.ts';
import { framedRowBytesMax } from './rowBytes.ts';
import { RowFrames } from './rowFrames.ts';
import { Statements } from './statements.ts';

const instance = await DuckDBInstance.create(':memory:');

interface Streamed {
  readonly text: string;
  readonly ends: readonly number[];
  readonly rowCount: number;
  readonly cutByBytes: boolean;
  readonly hasMore: boolean;
}

/** Lines with marks around a cell, as they leave the process, without the byte that ends the last of each frame. */
async function streamed(cells: string, { bytesMax = 1e12, rowsMax = 1e9 } = {}): Promise<Streamed> {
  const parts: string[] = [];
  const ends: number[] = [];
  const frames: RowFrames = new RowFrames(1, (rowCount, [bytes = Buffer.of(), list = Buffer.of()]) => {
    const before = parts.reduce((sum, part) => sum + Buffer.byteLength(part) + 1, 0);
    parts.push(Buffer.from(bytes).toString());
    const found = new Uint32Array(Uint8Array.from(list).buffer);
    expect(found).toHaveLength(rowCount);
    ends.push(...[...found].map((end) => before + end));
    frames.credit();
  });
  const sql = `SELECT '\\xFF'::BLOB || encode(v) || '\\xFF'::BLOB || encode(chr(10)) FROM (${cells}) AS r(i, v) ORDER BY i`;
  const call = { mode: 'rows', projects: null, redactionTag: null, cutoff: null, rowsMax, bytesMax, sql } as const;
  const job = { isCancelled: false, interrupt: () => {}, frames };
  const { gives } = await new Statements(instance, new RedactedValues(1)).run({ ...call, doublesQuotes: true }, job);
  const { rowCount, cutByBytes, hasMore } = gives;
  return { text: parts.join('\n'), ends, rowCount, cutByBytes, hasMore };
}

it('quotes of lines are doubled while they are copied, and both limits count what was written', async () => {
  const cell = fc.string({
    unit: fc.constantFrom('"', 'a', '\n', '\u00ff', '\u{1f600}', '""""""""', 'abcdefghijklmn'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(cell, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 0, max: 2000 }),
      fc.integer({ min: 1, max: 80 }),
      async (cells, bytesMax, rowsMax) => {
        const lines = cells.map((text) => `"${text.replaceAll('"', '""')}"`);
        let size = -1;
        let fitting = 0;
        for (const line of lines.slice(0, rowsMax)) {
          size += Buffer.byteLength(line) + 1;
          if (size > bytesMax) break;
          fitting++;
        }
        const wanted = lines.slice(0, fitting);
        const values = cells.map((text, i) => `(${i}, '${text}')`).join(', ');
        const found = await streamed(`VALUES ${values}`, { bytesMax, rowsMax });
        expect(found.text).toBe(wanted.join('\n'));
        expect(found.rowCount).toBe(fitting);
        expect(found.ends).toEqual(wanted.map((_, i) => Buffer.byteLength(wanted.slice(0, i + 1).join('\n'))));
        const isCut = fitting < Math.min(rowsMax, lines.length);
        expect([found.cutByBytes, found.hasMore]).toEqual([isCut, !isCut && lines.length > rowsMax]);
      },
    ),
    { numRuns: 150 },
  );
});

it('a line may be as long as a row of a frame after its quotes were doubled', async () => {
  const quotes = framedRowBytesMax / 2 - 1;
  const fits = await streamed(`VALUES (1, repeat('"', ${quotes})), (2, 'b')`);
  expect([fits.rowCount, fits.cutByBytes]).toEqual([2, false]);
  expect(fits.text).toHaveLength(framedRowBytesMax + '\n"b"'.length);
  const isTooLong = await streamed(`VALUES (1, 'a'), (2, repeat('"', ${quotes}) || 'x'), (3, 'b')`);
  expect([isTooLong.text, isTooLong.rowCount, isTooLong.cutByBytes]).toEqual(['"a"', 1, true]);
});
