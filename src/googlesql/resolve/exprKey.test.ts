import { describe, expect, it } from 'vitest';
import { BOOL, FLOAT64, INT64, STRING } from '../types.ts';
import { exprKey } from './exprKey.ts';
import type { Column, Expr } from './tree.ts';

const column = (id: number): Column => ({ id, name: 'c', type: INT64 });
const read = (of: Column): Expr => ({ kind: 'column', type: of.type, column: of });
const call = (offset: number, args: readonly Expr[]): Expr => ({
  kind: 'call',
  type: INT64,
  fn: '$add',
  args,
  safe: false,
  pos: { line: 1, column: offset + 1, offset },
});
const number = (value: number): Expr => ({ kind: 'literal', type: FLOAT64, value });
const exists = (): Expr => ({
  kind: 'subquery',
  type: BOOL,
  mode: 'exists',
  query: { kind: 'oneRow' },
  column: null,
  pos: { line: 1, column: 1, offset: 0 },
});

describe('keys of expressions', () => {
  it('ignore the position in the text and the name of a column', () => {
    expect(exprKey(call(0, [read(column(1))]))).toBe(exprKey(call(9, [read({ ...column(1), name: 'other' })])));
  });

  it.each<[string, Expr, Expr]>([
    ['columns of one name', read(column(1)), read(column(2))],
    ['0 and -0, which 1 / x tells apart', number(0), number(-0)],
    ['NaN and infinity', number(Number.NaN), number(Number.POSITIVE_INFINITY)],
    ['the infinities', number(Number.POSITIVE_INFINITY), number(Number.NEGATIVE_INFINITY)],
    [
      'an integer and its text',
      { kind: 'literal', type: INT64, value: 1n },
      { kind: 'literal', type: STRING, value: '1' },
    ],
    ['two subqueries, which may read other rows', exists(), exists()],
  ])('differ for %s', (_title, a, b) => {
    expect(exprKey(a)).not.toBe(exprKey(b));
  });

  it('of one and the same subquery are equal', () => {
    const one = exists();
    expect(exprKey(one)).toBe(exprKey(one));
  });
});
