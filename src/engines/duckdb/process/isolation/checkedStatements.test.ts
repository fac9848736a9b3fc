import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RefusedFrame } from '../callFailure.ts';
import { CheckedStatements } from './checkedStatements.ts';

let instance: DuckDBInstance;
let check: CheckedStatements;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  check = new CheckedStatements(instance);
});
afterAll(() => {
  instance.closeSync();
});

/** Whether it is known that the statement passes. */
const hasPassed = (sql: string, projects: readonly string[] | null) => check.passed(sql, projects) !== undefined;

const statement = (project: string) => `SELECT id FROM active_1.edge_logs WHERE project = '${project}'`;

describe('a statement that has passed the isolation check', () => {
  it('is known by its whole text and the projects of its call', async () => {
    const sql = statement('a');
    expect(hasPassed(sql, ['a'])).toBe(false);
    await check.requireHeld(sql, ['a']);
    expect(hasPassed(sql, ['a'])).toBe(true);
    for (const other of [['b'], ['A'], ['a', 'b'], ['a"'], []]) expect(hasPassed(sql, other)).toBe(false);
    for (const other of [`${sql} `, sql.slice(1), statement('b')]) expect(hasPassed(other, ['a'])).toBe(false);
  });

  it('is known whatever the time and the numbers in it, and by nothing else that differs', async () => {
    const of = (project: string, micros: number, status: number, limit = 5) =>
      `${statement(project)} AND "timestamp" >= make_timestamp(${micros}) AND s >= CAST('${status}' AS BIGINT) LIMIT ${limit}`;
    await check.requireHeld(of('t', 1, 2), ['t']);
    expect(hasPassed(of('t', 1_777_777_777_000_000, -500), ['t'])).toBe(true);
    for (const other of [of('u', 1, 2), of('t', 1, 2, 6)]) expect(hasPassed(other, ['t'])).toBe(false);
    expect(hasPassed(of('t', 1, 2), ['u'])).toBe(false);
  });

  it.each(['make_timestamp(N)', `CAST(''N'' AS BIGINT)`])('is told from one of a project called %s', async (name) => {
    const of = (n: number) => `${statement(name.replace('N', String(n)))} AND "timestamp" >= make_timestamp(1)`;
    const projects = [1, 2].map((n) => name.replace('N', String(n)).replaceAll("''", "'"));
    await check.requireHeld(of(1), projects);
    expect(hasPassed(of(1), projects)).toBe(true);
    expect(hasPassed(of(2), projects)).toBe(false);
  });

  it('is refused for other projects all the same', async () => {
    const sql = statement('mine');
    await check.requireHeld(sql, ['mine']);
    await expect(check.requireHeld(sql, ['theirs'])).rejects.toBeInstanceOf(RefusedFrame);
    expect(hasPassed(sql, ['theirs'])).toBe(false);
  });

  it('is told from one whose text begins where its list of projects ends', async () => {
    const sql = `SELECT 1 AS "x"`;
    await check.requireHeld(sql, ['a']);
    expect(hasPassed(`,"b"]${sql}`, ['a'])).toBe(false);
    expect(hasPassed(`]${sql}`, ['a'])).toBe(false);
  });
});

it('remembers a statement that may read every project apart from those of any list', async () => {
  const sql = statement('all');
  check.rememberSelect(sql);
  expect([hasPassed(sql, null), hasPassed(sql, []), hasPassed(sql, ['all'])]).toEqual([true, false, false]);
});

it('knows the size of the last result of each shape, and nothing of those that did not pass', async () => {
  const of = (micros: number) => `${statement('sized')} AND "timestamp" >= make_timestamp(${micros})`;
  const call = (micros: number) => ({ sql: of(micros), projects: ['sized'] });
  check.noteResult(call(1), 5);
  expect(check.passed(of(1), ['sized'])).toBeUndefined();
  await check.requireHeld(of(1), ['sized']);
  expect(check.passed(of(2), ['sized'])?.resultBytes).toBe(Number.POSITIVE_INFINITY);
  check.noteResult(call(3), 7);
  await check.requireHeld(of(4), ['sized']);
  expect(check.passed(of(5), ['sized'])?.resultBytes).toBe(7);
});

it.each([
  'SELECT id FROM active_1.edge_logs',
  'SELECT 1; SELECT 2',
  'SELECT 1; DROP TABLE active_1.edge_logs',
  'CREATE TABLE t (i INTEGER)',
])('remembers no statement that was refused: %s', async (sql) => {
  for (let turn = 0; turn < 2; turn++) {
    await expect(check.requireHeld(sql, ['a'])).rejects.toBeInstanceOf(RefusedFrame);
    expect(hasPassed(sql, ['a'])).toBe(false);
  }
});

it('looks at long statements one at a time, and forgets the oldest of too many', async () => {
  const long = (n: number) => `SELECT ${n}, '${'x'.repeat(390_000)}'`;
  await Promise.all([1, 2, 3].map((n) => check.requireHeld(long(n), ['a'])));
  expect([1, 2, 3].map((n) => hasPassed(long(n), ['a']))).toEqual([true, true, true]);
  for (const n of [4, 5, 6]) await check.requireHeld(long(n), ['a']);
  expect([1, 6].map((n) => hasPassed(long(n), ['a']))).toEqual([false, true]);
});
