import type { CallExpr, Column, Expr } from '../../../googlesql/resolve/tree.ts';
import { BOOL } from '../../../googlesql/types.ts';

export const start = { offset: 0, line: 1, column: 1 };

export const read = (of: Column): Expr => ({ kind: 'column', type: of.type, column: of });

/** A call that gives BOOL. */
export const call = (fn: CallExpr['fn'], ...args: readonly Expr[]): CallExpr => ({
  kind: 'call',
  type: BOOL,
  fn,
  args,
  safe: false,
  pos: start,
});
