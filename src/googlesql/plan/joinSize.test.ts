import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { compileCaller } from '../compile.ts';
import { defaultEngineLimits } from '../engineLimits.ts';
import type { Column } from '../resolve/tree.ts';
import { inlineTables } from './inline.ts';

const { crossJoinedTablesMax, inSubqueriesMax, joinedTablesMax } = defaultEngineLimits;

let id = 1_000_000;
const newColumn = (like: Column): Column => {
  id += 1;
  return { ...like, id };
};

const plan = (sql: string) =>
  inlineTables(
    compileCaller(sql, "with t as (select 'a' as id, 1 as x) select 1", { sources: new Map(), parameters: new Map() })
      .relation,
    newColumn,
    defaultEngineLimits,
  );

const repeat = (count: number, piece: (i: number) => string, separator = ' '): string =>
  Array.from({ length: count }, (_, i) => piece(i)).join(separator);

const joined = (tables: number): string =>
  `select t0.id from t as t0 ${repeat(tables - 1, (i) => `join t as t${i + 1} on t${i + 1}.id = t0.id`)}`;
const crossed = (tables: number): string => `select t0.id from ${repeat(tables, (i) => `t as t${i}`, ', ')}`;

const ins = (count: number): string => repeat(count, () => 'and id in (select id from t)');
const within = (count: number): string => `select id from t where true ${ins(count)}`;

/** Bounds on what a join can cost to plan (googlesql.md, section 5), each at its edge. */
describe('joins of too many tables are refused, with their place', () => {
  it.each([
    [
      'tables of one join',
      joined(joinedTablesMax),
      joined(joinedTablesMax + 1),
      /^More than 40 tables are joined here/,
    ],
    [
      'tables of one join, half of them in a WITH table that is read once',
      `with w as (${joined(20)}) select w.id from w ${repeat(20, (i) => `join t as t${i} using (id)`)}`,
      `with w as (${joined(20)}) select w.id from w ${repeat(21, (i) => `join t as t${i} using (id)`)}`,
      /^More than 40 tables are joined here, including those in WITH tables and subqueries/,
    ],
    [
      'tables of a join in a subquery of WHERE',
      `select id from t where id in (${joined(joinedTablesMax)})`,
      `select id from t where id in (${joined(joinedTablesMax + 1)})`,
      /^More than 40 tables are joined here/,
    ],
    [
      'IN with subqueries, those of a WITH table that is read twice included once',
      `with w as (${within(20)}) select w.id from w join w as v using (id) where true ${ins(inSubqueriesMax - 20)}`,
      `with w as (${within(20)}) select w.id from w join w as v using (id) where true ${ins(inSubqueriesMax - 19)}`,
      /^The query has 41 IN \(SELECT …\) conditions, including those in WITH tables and subqueries; at most 40/,
    ],
    [
      'cross-joined tables',
      crossed(crossJoinedTablesMax),
      crossed(crossJoinedTablesMax + 1),
      /^More than 10 tables are cross-joined here; join them with ON or USING \(line 1, column \d+\)/,
    ],
  ])('%s', (_title, allowed, refused, sentence) => {
    expect(() => plan(allowed)).not.toThrow();
    expect(() => plan(refused)).toThrow(ServiceError);
    expect(() => plan(refused)).toThrow(
      expect.objectContaining({
        code: 'sql.too_complex',
        message: expect.stringMatching(sentence),
        errors: [expect.objectContaining({ line: 1, column: expect.any(Number) })],
      }),
    );
  });

  it.each([
    ['UNNEST of a row', `select t.id from t ${repeat(60, (i) => `cross join unnest([1]) as u${i}`)}`],
    [
      'tables behind an aggregation',
      `with w as (${joined(joinedTablesMax)} group by id) select w.id from w join t using (id)`,
    ],
    [
      'tables behind a WITH table that is read twice',
      `with w as (${joined(30)}) select a.id from w as a join w as b using (id)`,
    ],
  ])('counts for nothing: %s', (_title, sql) => {
    expect(() => plan(sql)).not.toThrow();
  });
});
