import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { compileCaller } from '../compile.ts';
import { defaultEngineLimits } from '../engineLimits.ts';
import { pipesMax } from './pipes.ts';

const { aggregateDepthMax } = defaultEngineLimits;

const compile = (sql: string) =>
  compileCaller(sql, "with t as (select 'a' as id, 1 as x) select 1", { sources: new Map(), parameters: new Map() });

const repeat = (count: number, piece: (i: number) => string, separator = ' '): string =>
  Array.from({ length: count }, (_, i) => piece(i)).join(separator);

const aggregated = (times: number): string =>
  `with ${repeat(times, (i) => `w${i + 1} as (select max(id) as id from ${i === 0 ? 't' : `w${i}`})`, ', ')} select id from w${times}`;
const piped = (operators: number): string => `from t ${repeat(operators, () => '|> where x > 0')}`;

/** Bounds on what a query can cost to plan (googlesql.md, section 5), each at its edge. */
describe('what costs too much to plan is refused', () => {
  it.each([
    [
      'nested aggregations',
      aggregated(aggregateDepthMax),
      aggregated(aggregateDepthMax + 1),
      /More than 16 aggregations are nested here, including those in WITH tables/,
    ],
    [
      'pipe operators',
      piped(pipesMax),
      piped(pipesMax + 1),
      /may have at most 100 pipe operators, but this one has 101/,
    ],
    [
      'patterns behind a subquery',
      `select (select max(id) from t) like any (${repeat(100, (i) => `'${i}%'`, ', ')}) as l`,
      `select (select max(id) from t) like any (${repeat(101, (i) => `'${i}%'`, ', ')}) as l`,
      /A subquery before LIKE ANY runs once for each pattern, so at most 100 patterns are allowed/,
    ],
    [
      'columns',
      `select ${repeat(1000, (i) => `x as c${i}`, ', ')} from t`,
      `select ${repeat(1001, (i) => `x as c${i}`, ', ')} from t`,
      /may return at most 1000 columns, but this one returns 1001/,
    ],
    [
      'full joins whose ON reads other rows',
      'select a.id from t a full join t b on a.id = b.id and a.id in (select id from t)',
      'select a.id from t a full join t b on a.id = b.id and a.id in (select id from t) full join t c on c.id in (select id from t)',
      /A FULL JOIN with a subquery in its ON cannot join the result of another one/,
    ],
  ])('%s', (_title, allowed, refused, sentence) => {
    expect(() => compile(allowed)).not.toThrow();
    expect(() => compile(refused)).toThrow(ServiceError);
    expect(() => compile(refused)).toThrow(
      expect.objectContaining({ code: 'sql.too_complex', message: expect.stringMatching(sentence) }),
    );
    expect(() => compile(refused)).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ line: 1, column: expect.any(Number) })] }),
    );
  });
});
