import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiteralValue } from '../../../googlesql/resolve/tree.ts';
import { BOOL, FLOAT64, INT64, JSON_TYPE, type SqlType, STRING, TIMESTAMP } from '../../../googlesql/types.ts';
import { emitLiteral, quoteText } from './literal.ts';

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => {
  connection.closeSync();
});

async function read(sql: string): Promise<unknown> {
  const statements = await connection.extractStatements(sql);
  expect(statements.count).toBe(1);
  const reader = await connection.runAndReadAll(sql);
  expect(reader.columnCount).toBe(1);
  return reader.getRowsJS()[0]?.[0];
}

describe('a literal', () => {
  it('of any text is that text to the engine, and nothing else', async () => {
    const pieces = fc.constantFrom(
      "'",
      "''",
      '"',
      '\\',
      '\u0000',
      ';',
      '--',
      '/*',
      '*/',
      '$$',
      '\n',
      '%',
      '{',
      'é',
      '🙂',
      "\\'",
      'E',
      "'; DROP TABLE x; --",
    );
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await read(`SELECT ${quoteText(text)}`)).toBe(text);
        expect(await read(`SELECT ${emitLiteral(STRING, text)} || 'x'`)).toBe(`${text}x`);
      }),
      { numRuns: 300 },
    );
  });

  it('of any INT64 or FLOAT64 is that number', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.double({ noNaN: true }), async (whole, double) => {
        expect(await read(`SELECT ${emitLiteral(INT64, whole)}`)).toBe(whole);
        expect(await read(`SELECT ${emitLiteral(FLOAT64, double)}`)).toBeCloseTo(double, 12);
        expect(
          Object.is(await read(`SELECT ${emitLiteral(FLOAT64, double)} = CAST('${double}' AS DOUBLE)`), true),
        ).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[SqlType, LiteralValue, string]>([
    [TIMESTAMP, -1n, '1969-12-31 23:59:59.999999'],
    [TIMESTAMP, 253_402_300_799_999_999n, '9999-12-31 23:59:59.999999'],
    [{ kind: 'DATE' }, -1n, '1969-12-31'],
    [{ kind: 'TIME' }, 86_399_999_999n, '23:59:59.999999'],
    [{ kind: 'DATETIME' }, 0n, '1970-01-01 00:00:00'],
    [BOOL, true, 'true'],
    [JSON_TYPE, `{"a":"it's"}`, `{"a":"it's"}`],
    [{ kind: 'BYTES' }, new Uint8Array([0x61, 0x62]), 'ab'],
  ])('of type %o and value %s reads %s', async (type, value, want) => {
    expect(await read(`SELECT CAST(${emitLiteral(type, value)} AS VARCHAR)`)).toBe(want);
  });

  it('of NULL has its type', async () => {
    expect(await read(`SELECT typeof(${emitLiteral({ kind: 'ARRAY', element: STRING }, null)})`)).toBe('VARCHAR[]');
  });
});
