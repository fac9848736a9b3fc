import { expect, it } from 'vitest';
import { INT64 } from '../types.ts';
import { nameOutputs } from './outputs.ts';
import { ResolveSession } from './session.ts';

const session = new ResolveSession(new Map(), new Map());
const names = (...given: readonly string[]) =>
  nameOutputs(
    given.map((name) => ({ name, column: session.newColumn(name, INT64) })),
    session,
    { line: 1, column: 1, offset: 0 },
  ).map(({ name }) => name);

it.each([
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [
    ['a', 'A', 'a'],
    ['a', 'A_1', 'a_2'],
  ],
  // A number that a later column already has is not given to an earlier one.
  [
    ['a', 'a', 'a_1'],
    ['a', 'a_2', 'a_1'],
  ],
  [
    ['', 'x', ''],
    ['f0_', 'x', 'f1_'],
  ],
  [
    ['f0_', ''],
    ['f0_', 'f0__1'],
  ],
])('names the columns %j as %j, so that no two are equal', (given, expected) => {
  expect(names(...given)).toEqual(expected);
});
