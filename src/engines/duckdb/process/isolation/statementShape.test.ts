import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StatementParser } from './statementParser.ts';
import { statementShape } from './statementShape.ts';

let instance: DuckDBInstance;
let parser: StatementParser;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  parser = new StatementParser(instance);
});
afterAll(() => {
  instance.closeSync();
});

it.each([
  ['a time', `SELECT make_timestamp(1)`, `SELECT make_timestamp(123456789012345678)`],
  ['a whole number', `SELECT CAST('1' AS BIGINT)`, `SELECT CAST('-20' AS BIGINT)`],
  ['beside texts and names', `SELECT 'it''s', "a""b", make_timestamp(1)`, `SELECT 'it''s', "a""b", make_timestamp(2)`],
])('is the same whatever %s', (_, one, other) => {
  expect(statementShape(one)).toBe(statementShape(other));
});

it.each([
  ['a number of a text', `SELECT 'make_timestamp(1)', make_timestamp(1)`],
  ['a number of a text within a text', `SELECT 'a''make_timestamp(1)''b', make_timestamp(1)`],
  ['a number of a name', `SELECT "make_timestamp(1)", make_timestamp(1)`],
  ['another number', `SELECT 1, make_timestamp(1)`],
  ['a number in a comment, which may hide a quote', `SELECT make_timestamp(1) -- ' make_timestamp(1)`],
  ['a number in a long comment', `SELECT make_timestamp(1) /* ' */, 'make_timestamp(1)'`],
  ['a number in a text with backslashes', `SELECT E'\\'make_timestamp(1)', make_timestamp(1)`],
  ['a number in a text in dollars', `SELECT $$'$$, 'make_timestamp(1)', make_timestamp(1)`],
  ['a number behind a quote that is not closed', `SELECT make_timestamp(1), 'make_timestamp(1)`],
  ['a number of another function', `SELECT my_make_timestamp(1), make_timestamp(1)`],
  ['another type', `SELECT CAST('1' AS BIGINT), CAST('1' AS DOUBLE)`],
])('differs with %s', (_, sql) => {
  const places = [...sql.matchAll(/1/g)].map(({ index }) => index);
  const shapes = places.map((at) => statementShape(`${sql.slice(0, at)}2${sql.slice(at + 1)}`));
  expect(shapes.some((shape) => shape !== statementShape(sql))).toBe(true);
});

it('is never a statement, nor that of one', () => {
  const sql = 'SELECT make_timestamp(1)';
  const shape = statementShape(sql);
  expect(shape).not.toBe(sql);
  expect(statementShape(shape)).not.toBe(shape);
  expect(statementShape(shape.slice(1))).not.toBe(shape);
});

/** What the engine reads, without the values of constants and where they stand. */
async function treeOf(sql: string): Promise<string> {
  const hidden = new Set(['query_location', 'value']);
  return JSON.stringify(JSON.parse(await parser.serialise(sql)), (key, value) => (hidden.has(key) ? undefined : value));
}

const pieces = [
  ...['make_timestamp(#)', `CAST('#' AS BIGINT)`, `CAST('-#' AS BIGINT)`, 'make_timestamp(-#)', '#', 'f(#)'],
  ...["'make_timestamp(#)'", "''", "'#'", "'a''#'", '"n#"', '"make_timestamp(#)"', '"a""#"', "'", '"', "E'\\'#'"],
  ...[
    `E'`,
    `U&'`,
    '\\',
    '$$',
    '$1',
    '--',
    '\n',
    '/*',
    '*/',
    '--make_timestamp(#)\n',
    "X'1#'",
    ' AS x',
    '(',
    ')',
    '\u0003m',
  ],
];

it('is the same for two texts only where the engine reads both alike', async () => {
  let same = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 7 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 14, maxLength: 14 }),
      async (parts, digits) => {
        const filled = (from: number) => {
          let at = from;
          const text = parts.join(', ').replaceAll('#', () => String(digits[at++ % digits.length]));
          return `SELECT ${text}`;
        };
        const [one, other] = [filled(0), filled(7)];
        if (one === other || statementShape(one) !== statementShape(other)) return;
        same += 1;
        expect(await treeOf(one)).toBe(await treeOf(other));
      },
    ),
    { numRuns: 3000 },
  );
  // Some seventy by chance, give or take ten.
  expect(same).toBeGreaterThan(20);
});
