import { type Mapper, mapExpr } from './traverse.ts';
import type { Expr } from './tree.ts';

/** Whether the expression contains a subquery, so that it reads rows other than its own. */
export function holdsSubquery(expr: Expr): boolean {
  let found = false;
  const mapper: Mapper = {
    relation: (relation) => relation,
    expr: (below) => {
      if (below.kind === 'subquery' || below.kind === 'inSubquery') found = true;
      return mapExpr(below, mapper);
    },
  };
  mapper.expr(expr);
  return found;
}
