import { expect, it } from 'vitest';
import { parametersIn } from './parametersIn.ts';

it.each<[string, readonly (readonly [string, number, number])[]]>([
  [
    'select @a, @b,\n  @A, @c',
    [
      ['a', 1, 8],
      ['b', 1, 12],
      ['c', 2, 7],
    ],
  ],
  ["select '@no', r'@no', `@no` -- @no\n /* @no */ , @yes", [['yes', 2, 14]]],
  ['not a query @at all', [['at', 1, 13]]],
  ["an unclosed 'text @a", []],
  ['', []],
])('finds the parameters of %j', (text, expected) => {
  expect(parametersIn(text).map(({ name, line, column }) => [name, line, column])).toEqual(expected);
});
