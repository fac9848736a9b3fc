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

const statement = (project: string) => `SELECT id FROM active_1.edge_logs WHERE project = '${project}'`;

describe('a statement that has passed the isolation check', () => {
  it('is known by its whole text and the projects of its call', async () => {
    const sql = statement('a');
    expect(check.hasPassed(sql, ['a'])).toBe(false);
    await check.requireHeld(sql, ['a']);
    expect(check.hasPassed(sql, ['a'])).toBe(true);
    for (const other of [['b'], ['A'], ['a', 'b'], ['a"'], []]) expect(check.hasPassed(sql, other)).toBe(false);
    for (const other of [`${sql} `, sql.slice(1), statement('b')]) expect(check.hasPassed(other, ['a'])).toBe(false);
  });

  it('is known whatever the time and the numbers in it, and by nothing else that differs', async () => {
    const of = (project: string, micros: number, status: number, limit = 5) =>
      `${statement(project)} AND "timestamp" >= make_timestamp(${micros}) AND s >= CAST('${status}' AS BIGINT) LIMIT ${limit}`;
    await check.requireHeld(of('t', 1, 2), ['t']);
    expect(check.hasPassed(of('t', 1_777_777_777_000_000, -500), ['t'])).toBe(true);
    for (const other of [of('u', 1, 2), of('t', 1, 2, 6)]) expect(check.hasPassed(other, ['t'])).toBe(false);
    expect(check.hasPassed(of('t', 1, 2), ['u'])).toBe(false);
  });

  it.each(['make_timestamp(N)', `CAST(''N'' AS BIGINT)`])('is told from one of a project called %s', async (name) => {
    const of = (n: number) => `${statement(name.replace('N', String(n)))} AND "timestamp" >= make_timestamp(1)`;
    const projects = [1, 2].map((n) => name.replace('N', String(n)).replaceAll("''", "'"));
    await check.requireHeld(of(1), projects);
    expect(check.hasPassed(of(1), projects)).toBe(true);
    expect(check.hasPassed(of(2), projects)).toBe(false);
  });

  it('is refused for other projects all the same', async () => {
    const sql = statement('mine');
    await check.requireHeld(sql, ['mine']);
    await expect(check.requireHeld(sql, ['theirs'])).rejects.toBeInstanceOf(RefusedFrame);
    expect(check.hasPassed(sql, ['theirs'])).toBe(false);
  });

  it('is told from one whose text begins where its list of projects ends', async () => {
    const sql = `SELECT 1 AS "x"`;
    await check.requireHeld(sql, ['a']);
    expect(check.hasPassed(`,"b"]${sql}`, ['a'])).toBe(false);
    expect(check.hasPassed(`]${sql}`, ['a'])).toBe(false);
  });
});

it('remembers no statement that was refused', async () => {
  const sql = 'SELECT id FROM active_1.edge_logs';
  for (let turn = 0; turn < 2; turn++) {
    await expect(check.requireHeld(sql, ['a'])).rejects.toBeInstanceOf(RefusedFrame);
    expect(check.hasPassed(sql, ['a'])).toBe(false);
  }
});

it('looks at long statements one at a time, and forgets the oldest of too many', async () => {
  const long = (n: number) => `SELECT ${n}, '${'x'.repeat(390_000)}'`;
  await Promise.all([1, 2, 3].map((n) => check.requireHeld(long(n), ['a'])));
  expect([1, 2, 3].map((n) => check.hasPassed(long(n), ['a']))).toEqual([true, true, true]);
  for (const n of [4, 5, 6]) await check.requireHeld(long(n), ['a']);
  expect([1, 6].map((n) => check.hasPassed(long(n), ['a']))).toEqual([false, true]);
});
