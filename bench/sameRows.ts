import { isDeepStrictEqual } from 'node:util';
import { asAnswered, type Rows } from './handWritten.ts';

/** Throws unless an answer has the rows of the statement by hand; returns their number. */
export function requireSameRows(what: string, body: Buffer, byHand: Rows): number {
  const { result } = JSON.parse(body.toString('utf8')) as { result: readonly Readonly<Record<string, unknown>>[] };
  const rows = result.map((row) => Object.values(row));
  const expected = byHand.map((row, i) =>
    row.map((value, n) => {
      const isNested = typeof rows[i]?.[n] === 'object' && typeof value === 'string';
      return isNested ? JSON.parse(value) : asAnswered(value);
    }),
  );
  requireEqualRows(what, rows, expected);
  return rows.length;
}

/** Throws unless both have the same rows in the same order; reports the first difference. */
export function requireEqualRows(
  what: string,
  rows: readonly (readonly unknown[])[],
  expected: readonly (readonly unknown[])[],
): void {
  if (isDeepStrictEqual(rows, expected)) return;
  const at = Array.from({ length: Math.max(rows.length, expected.length) }).findIndex(
    (_, n) => !isDeepStrictEqual(rows[n], expected[n]),
  );
  const seen = `row ${at} of ${rows.length}: ${JSON.stringify(rows[at])}, beside it ${JSON.stringify(expected[at])} of ${expected.length}`;
  throw new Error(`${what} answers differently: ${seen}`);
}
