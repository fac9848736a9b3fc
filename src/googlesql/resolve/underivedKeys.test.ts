import { expect, it } from 'vitest';
import { INT64 } from '../types.ts';
import type { Column, Computed, Expr } from './tree.ts';
import { underivedKeys } from './underivedKeys.ts';

const [a, b] = ['a', 'b'].map((name, i): Column => ({ id: i + 1, name, type: INT64 })) as [Column, Column];
const read = (column: Column): Expr => ({ kind: 'column', type: INT64, column });
const sum = (...args: readonly Expr[]): Expr => ({
  kind: 'call',
  type: INT64,
  fn: '$add',
  args,
  safe: false,
  pos: { line: 1, column: 1, offset: 0 },
});
const one: Expr = { kind: 'literal', type: INT64, value: 1n };
const key = (name: string, expr: Expr): Computed => ({ column: { id: 9, name, type: INT64 }, expr });

it.each<[string, readonly Computed[], readonly string[]]>([
  ['a column and what is computed from it', [key('a', read(a)), key('a + 1', sum(read(a), one))], ['a']],
  ['the same in the other order', [key('a + 1', sum(read(a), one)), key('a', read(a))], ['a']],
  ['what also reads another column', [key('a', read(a)), key('a + b', sum(read(a), read(b)))], ['a', 'a + b']],
  ['what reads both keys', [key('a', read(a)), key('b', read(b)), key('a + b', sum(read(a), read(b)))], ['a', 'b']],
  ['a constant', [key('a', read(a)), key('1', one)], ['a', '1']],
  ['an expression without its column', [key('a + 1', sum(read(a), one))], ['a + 1']],
])('keys of a ROLLUP: %s', (_title, keys, kept) => {
  expect(underivedKeys(keys).map(({ column }) => column.name)).toEqual(kept);
});
