import { findFunction } from '../functions/catalogue.ts';
import { holds } from './holds.ts';
import type { Expr } from './tree.ts';

/** Whether the expression calls a function such as RAND, so that computing it twice gives two values. */
export function holdsVolatile(expr: Expr): boolean {
  return holds(expr, (below) => below.kind === 'call' && findFunction(below.fn)?.isVolatile === true);
}
