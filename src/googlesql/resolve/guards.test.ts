import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../test/support/processorTime.ts';
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

/** What a short text can stand for: `*`, row values and STRUCTs of STRUCTs multiply columns and fields. */
describe('a short text that stands for too much is refused', () => {
  const columns = (count: number) => repeat(count, (i) => `x as c${i}`, ', ');
  const chain = (count: number, first: string, step: (before: string) => string): string =>
    `with w0 as (${first}), ${repeat(count, (i) => `w${i + 1} as (${step(`w${i}`)})`, ', ')} select count(*) as n from w${count}`;
  const struct = (fields: number) => `struct(${repeat(fields, (i) => `s as f${i}`, ', ')})`;
  const manyColumns = /have more than 10,000 columns together/;

  it.each([
    [
      'columns that double from table to table',
      (times: number) => chain(times, 'select x from t', (w) => `select a.*, b.* from ${w} a cross join ${w} b`),
      5,
      30,
      manyColumns,
    ],
    [
      'a wide table in many arms',
      (arms: number) =>
        `with w as (select ${columns(300)} from t) ${repeat(arms, () => 'select * from w', ' union all ')}`,
      2,
      100,
      manyColumns,
    ],
    [
      'columns of many USING',
      (joins: number) =>
        `with w as (select ${columns(200)} from t) select count(*) as n from w a ${repeat(joins, (i) => `join w b${i} using (${repeat(200, (c) => `c${c}`, ', ')})`)}`,
      3,
      30,
      manyColumns,
    ],
    [
      'rows as values, again and again',
      (times: number) =>
        `with w as (select ${columns(300)} from t) select ${repeat(times, () => 'w = w', ' and ')} as same from w`,
      2,
      200,
      manyColumns,
    ],
    [
      'ARRAYs in ARRAYs',
      (depth: number) => `select ${'[struct('.repeat(depth)}x${' as a)]'.repeat(depth)} as x from t`,
      6,
      12,
      /ARRAYs are nested 1\d levels deep in a value/,
    ],
    [
      'many values with ARRAYs in ARRAYs',
      (count: number) =>
        `select ${repeat(count, (i) => `${'[struct('.repeat(8)}x${' as a)]'.repeat(8)} as x${i}`, ', ')} from t`,
      4,
      20,
      /ARRAYs are nested \d levels deep in a value/,
    ],
    [
      'STRUCTs of STRUCTs',
      (depth: number) => chain(depth, 'select x as s from t', (w) => `select ${struct(8)} as s from ${w}`),
      1,
      14,
      /may have at most 1,000 fields, with those of the STRUCTs in it/,
    ],
    [
      'rows of rows',
      (depth: number) => chain(depth, 'select x as s from t', (w) => `select as struct a, a as b, a as c from ${w} a`),
      3,
      14,
      manyColumns,
    ],
  ])('%s', (_title, text, few, many, sentence) => {
    expect(() => compile(text(few))).not.toThrow();
    expect(() => compile(text(many))).toThrow(
      expect.objectContaining({ code: 'sql.too_complex', message: expect.stringMatching(sentence) }),
    );
  });
});

/** Loops over what a text names must not multiply its names by its columns. */
describe('a query at its limits compiles in time that grows with its text', () => {
  const list = (count: number, name: string) => repeat(count, (i) => `x as ${name}${i}`, ', ');
  const growths: readonly [string, (count: number) => string][] = [
    ['columns of one name', (n) => `select ${repeat(n, () => 'x as c', ', ')} from t`],
    [
      'aggregates in HAVING beside aliases',
      (n) => `select ${list(n, 'c')} from t group by all having ${repeat(n, (i) => `count(*) > ${i}`, ' and ')}`,
    ],
    [
      'nested keys',
      (n) =>
        `select ${'concat('.repeat(n / 10)}id${`${repeat(20, () => ', upper(id)', '')})`.repeat(n / 10)} as k from t group by concat(id, 'y'), id`,
    ],
  ];

  it.each(growths)('%s', (_title, text) => {
    const time = (count: number) => processorMs(() => void compile(text(count)));
    time(100);
    // Four times the text: a loop over every pair takes sixteen times as long, in each round.
    let few = Number.POSITIVE_INFINITY;
    let many = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 10 && (round === 0 || many / few >= 11); round++) {
      few = Math.min(few, time(200));
      many = Math.min(many, time(800));
    }
    expect(many / few).toBeLessThan(11);
  });
});
