import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { quoteText } from '../emit/literal.ts';
import type { EmitContext } from './emitContext.ts';
import { like } from './like.ts';

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

it.each(['%a_%a_%a_%c', 'a%\\%%b%c', '_%b%%c%'])('does not let the engine try every place for %s', (pattern) => {
  expect(written('exact', 'x', pattern)).toContain('regexp_full_match');
});

it.each(['%a%b%c%', 'a_b%', '%a_c%', '%_%', `%a%${'_'.repeat(101)}%c`])('leaves %s to the engine', (pattern) => {
  expect(written('exact', 'x', pattern)).not.toContain('regexp_full_match');
});
