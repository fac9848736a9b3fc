import { expect, test } from 'vitest';
import { type Hold, readHolds } from '../support/holdRecords.ts';
import { findLongHolds, holdsOf } from './holds.ts';

const holds = readHolds('1000 20.0 0.0 0.0\n2000 40.0 2.0 30.0\n3000 300.0 290.0 0.0\n4000 120.5 20.0 0.0\n');

test('counts how long the main thread was held, without what it waited for a processor', () => {
  expect(holdsOf(holds)).toEqual([
    ['0 to 25 ms', '2', '0'],
    ['25 to 50 ms', '1', '1'],
    ['100 to 250 ms', '1', '0'],
    ['longest', '100.5 ms', ''],
  ]);
});

test('finds what went beyond the bound, and nothing else', () => {
  const found: string[] = [];
  const run = { find: (what: string, detail: string) => void found.push(what, detail) };
  findLongHolds(run, holds.slice(0, 3) satisfies readonly Hold[]);
  expect(found).toEqual([]);
  findLongHolds(run, holds);
  expect(found).toEqual(['the main thread was held 1 times for more than 50 ms', '101 ms at 1970-01-01T00:00:04.000Z']);
});
