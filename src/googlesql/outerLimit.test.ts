import { expect, it } from 'vitest';
import { compileStored } from './compile.ts';
import { foldConstants } from './plan/fold.ts';
import type { Relation } from './resolve/tree.ts';

const rows = 'with numbers as (select v from unnest([1, 2, 3]) as v)';

/** What a query says of its LIMIT, and the LIMIT and OFFSET that its relation has with n = 20 or another value. */
function limitsOf(sql: string, n: bigint | null = 20n) {
  const parameters = new Map([['n', 'int64' as const]]);
  const query = compileStored(`${rows} ${sql}`, { sources: new Map(), parameters });
  const value = n === null ? ({ kind: 'null' } as const) : ({ kind: 'int64', value: n } as const);
  const { relation } = foldConstants(query.relation, new Map([['n', value]]), 0);
  return [query.outerLimit, query.outerLimitParameter ?? null, ...within(relation)];
}

function within(relation: Relation): readonly unknown[] {
  if (relation.kind === 'with') return within(relation.body);
  if (relation.kind !== 'limit') return [];
  return [relation.limit, relation.offset].map((count) => (count?.kind === 'literal' ? count.value : count?.kind));
}

it.each([
  ['select v from numbers', [null, null]],
  ['select v from numbers limit 5', [5, null]],
  ['select v from numbers limit @n', [null, 'n']],
  ['select v from numbers order by v limit 5 offset 1', [5, null, 6n, 1n]],
  ['select v from numbers order by v limit 5 offset @n', [5, null, 6n, 20n]],
  ['select v from numbers order by v limit @n offset 1', [null, 'n', 21n, 1n]],
  ['select v from numbers limit 1000000001', [null, null, 1_000_000_001n, undefined]],
])('lets one more row pass, and leaves only what the engine needs to know: %s', (sql, expected) => {
  expect(limitsOf(sql)).toEqual(expected);
});

it('has a number of rows for every value of a parameter', () => {
  const sql = 'select v from numbers order by v limit @n offset 1';
  expect(limitsOf(sql, 0n)).toEqual([null, 'n', 1n, 1n]);
  expect(limitsOf(sql, 2n ** 63n - 1n)).toEqual([null, 'n', 1_000_000_001n, 1n]);
});
