import { expect, it } from 'vitest';
import { INT64 } from '../types.ts';
import { exprKey } from './exprKey.ts';
import type { Expr } from './tree.ts';

const column = { id: 1, name: 'n', type: INT64 };
const read = (): Expr => ({ kind: 'column', type: INT64, column });
const subquery = { kind: 'subquery', type: INT64, query: { columns: [] } } as unknown as Expr;
const call = (...args: readonly Expr[]) => ({ kind: 'call', fn: '$add', type: INT64, args }) as unknown as Expr;

it('is equal for expressions that are alike, and differs with the column', () => {
  expect(exprKey(call(read(), read()))).toBe(exprKey(call(read(), read())));
  const other: Expr = { kind: 'column', type: INT64, column: { ...column, id: 2 } };
  expect(exprKey(call(read(), other))).not.toBe(exprKey(call(read(), read())));
});

it('of an expression that holds a subquery equals that of itself alone', () => {
  const expr = call(read(), subquery);
  expect(exprKey(expr)).toBe(exprKey(expr));
  expect(exprKey(call(read(), subquery))).not.toBe(exprKey(expr));
});
