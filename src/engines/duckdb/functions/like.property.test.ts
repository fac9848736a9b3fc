import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { quoteText } from '../emit/literal.ts';
import type { EmitContext } from './emitContext.ts';
import { like } from './like.ts';
import { computedMatching } from './likeExpression.ts';

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => connection.closeSync());

const characters = [
  'a',
  'A',
  'b',
  '%',
  '%',
  '%',
  '_',
  '_',
  '\\',
  '.',
  '*',
  '(',
  '[',
  '^',
  '$',
  '\n',
  ' ',
  '-',
  'ß',
  'É',
  '😀',
];
const text = fc.array(fc.constantFrom(...characters), { maxLength: 9 }).map((each) => each.join(''));

const written = (mode: 'exact' | 'ignoringCase', value: string, pattern: string): string =>
  like(mode)([quoteText(value), quoteText(pattern)], { constants: [value, pattern] } as unknown as EmitContext);

const resultOf = async (sql: string): Promise<unknown> =>
  (await connection.runAndReadAll(`SELECT ${sql}`)).getRows()[0]?.[0];

it.each(['exact', 'ignoringCase'] as const)('matches what LIKE of the engine matches (%s)', async (mode) => {
  let expressions = 0;
  await fc.assert(
    fc.asyncProperty(text, text, fc.boolean(), async (some, pattern, isAlike) => {
      fc.pre(!/(^|[^\\])(\\\\)*\\$/.test(pattern));
      const value = isAlike ? pattern.replaceAll('%', some).replaceAll('_', 'b').replaceAll('\\', '') : some;
      const sql = written(mode, value, pattern);
      if (sql.includes('regexp_full_match')) expressions += 1;
      const [left, right] = [value, pattern].map((each) =>
        mode === 'exact' ? quoteText(each) : `lower(${quoteText(each)})`,
      );
      expect([pattern, value, await resultOf(sql)]).toEqual([
        pattern,
        value,
        await resultOf(`${left} LIKE ${right} ESCAPE '\\'`),
      ]);
    }),
    { numRuns: 2000 },
  );
  expect(expressions).toBeGreaterThan(40);
});

const row = fc.tuple(text, text, fc.boolean(), fc.boolean());

it.each([
  ['exact', '\\'],
  ['ignoringCase', '\\'],
  ['exact', ''],
  ['exact', '.'],
  ['exact', 'a'],
  ['exact', '%'],
  ['exact', '_'],
] as const)('matches what LIKE of the engine matches, with computed patterns (%s, escape %j)', async (mode, sign) => {
  const context = {
    constants: [undefined, undefined, sign],
    fail: () => "error('the pattern is dangling')",
    safe: false,
  } as unknown as EmitContext;
  const arg = (name: string) => (mode === 'exact' ? name : `lower(${name})`);
  const mine = like(mode)(['x', 'p', quoteText(sign)], context);
  const reference = `${arg('x')} LIKE ${arg('p')}${sign === '' ? '' : ` ESCAPE ${quoteText(sign)}`}`;
  let long = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 40, maxLength: 200 }), async (rows) => {
      const pairs = rows.map(([some, pattern, isAlike, isLong]) => {
        // At the end it would escape nothing.
        const whole = `${isLong ? 'b'.repeat(101) : ''}${pattern}${sign === '' ? '' : 'x'}`;
        const value = whole
          .replaceAll('%', some)
          .replaceAll('_', 'b')
          .replaceAll(sign === '' ? '\\' : sign, '');
        return [isAlike ? value : some, whole] as const;
      });
      const values = pairs.map(([x, p]) => `(${quoteText(x)}, ${quoteText(p)})`).join(', ');
      const sql = `SELECT x, p, ${mine}, ${reference}, contains(${computedMatching('p', sign).expression}, '(?s)') FROM (VALUES ${values}) AS t(x, p)`;
      for (const [x, p, given, wanted, isExpression] of (await connection.runAndReadAll(sql)).getRows()) {
        expect([x, p, given]).toEqual([x, p, wanted]);
        if (isExpression === true) long += 1;
      }
    }),
    { numRuns: 30 },
  );
  expect(long).toBeGreaterThan(100);
});

it('is NULL for NULL, and refuses computed patterns of too many characters', async () => {
  const context = { constants: [], fail: (text: string) => `error(${quoteText(text)})` } as unknown as EmitContext;
  const matched = async (x: string, p: string) =>
    await resultOf(`${like('exact')(['x', 'p'], context)} FROM (VALUES (${x}, ${p})) AS t(x, p)`);
  expect(await matched("'a'", 'NULL::VARCHAR')).toBeNull();
  expect(await matched('NULL::VARCHAR', "repeat('%_', 200)")).toBeNull();
  expect(await matched("repeat('b', 4000)", "repeat('b', 4000)")).toBe(true);
  for (const pattern of ["'%' || repeat('_', 101) || 'a'", "'%' || repeat('a', 4000) || 'b'"]) {
    await expect(matched("'a'", pattern)).rejects.toThrow('at most 4000 characters and 100 underscores');
  }
  // The engine computes these ahead, also where no row needs the expression.
  for (const pattern of ["repeat('b', 5000)", "'%' || repeat('_', 101) || 'a'", "'%a%b%c'"]) {
    expect(await resultOf(`${like('exact')(['x', pattern], context)} FROM (SELECT NULL::VARCHAR AS x)`)).toBeNull();
  }
});

it.each([
  ['%a_%a_%a_%c', 2_000],
  ['%a%a%a%a%a%c', 2_000],
  [`%${'a'.repeat(2_000)}b%c`, 100_000],
])('matches the computed pattern %.20s in time that grows with the text', async (pattern, length) => {
  const context = { constants: [], fail: () => 'NULL' } as unknown as EmitContext;
  const rows = `(VALUES (repeat('a', ${length}), ${quoteText(pattern)})) AS t(x, p)`;
  // If the engine tried every place, this would take hours.
  expect(await resultOf(`${like('exact')(['x', 'p'], context)} FROM ${rows}`)).toBe(false);
});

it.each(['%a_%a_%a_%c', 'a%\\%%b%c', '_%b%%c%', `%a_${'b'.repeat(100)}`])(
  'does not let the engine try every place for %s',
  (pattern) => {
    expect(written('exact', 'x', pattern)).toContain('regexp_full_match');
  },
);

it.each(['%a%b%c%', 'a_b%', '%a_c%', '%_%', `${'_'.repeat(101)}%`, `%a%b%${'a'.repeat(5_000)}`])(
  'leaves %s to the engine',
  (pattern) => {
    expect(written('exact', 'x', pattern)).not.toContain('regexp_full_match');
  },
);

it('refuses a constant pattern for which both would take long', () => {
  const context = {
    constants: [undefined, `%a%${'_'.repeat(101)}%c`],
    fail: () => 'refused',
    returns: { kind: 'BOOL' },
  };
  expect(like('exact')(['x', "'…'"], context as unknown as EmitContext)).toBe(
    'CASE WHEN x IS NOT NULL THEN CAST(refused AS BOOLEAN) END',
  );
});
