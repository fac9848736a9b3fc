import { type Mapper, mapExpr } from './traverse.ts';
import type { Expr } from './tree.ts';

/** Whether the expression is, or has outside of subqueries, a wanted one. */
export function holds(expr: Expr, isWanted: (expr: Expr) => boolean): boolean {
  let found = false;
  const mapper: Mapper = {
    relation: (relation) => relation,
    expr: (below) => {
      found ||= isWanted(below);
      return mapExpr(below, mapper);
    },
  };
  mapper.expr(expr);
  return found;
}
