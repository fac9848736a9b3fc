import { type Mapper, mapExpr, mapRelation } from './traverse.ts';
import type { Column, Expr } from './tree.ts';

/** Whether the expression uses the value of an aggregate or window call, given their columns. */
export function holdsCall(expr: Expr, columns: ReadonlySet<Column>): boolean {
  if (columns.size === 0) return false;
  let found = false;
  const mapper: Mapper = {
    relation: (relation) => mapRelation(relation, mapper),
    expr: (below) => {
      if (below.kind === 'column' && columns.has(below.column)) found = true;
      return mapExpr(below, mapper);
    },
  };
  mapper.expr(expr);
  return found;
}
