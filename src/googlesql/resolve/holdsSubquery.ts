import { holds } from './holds.ts';
import type { Expr } from './tree.ts';

/** Whether the expression contains a subquery, so that it reads rows other than its own. */
export function holdsSubquery(expr: Expr): boolean {
  return holds(expr, ({ kind }) => kind === 'subquery' || kind === 'inSubquery');
}
