import { type Mapper, mapExpr, mapRelation } from './traverse.ts';
import type { AggregateCall, Expr } from './tree.ts';

/** Whether the expression uses the value of one of the aggregate or window calls. */
export function holdsCall(expr: Expr, calls: readonly AggregateCall[]): boolean {
  if (calls.length === 0) return false;
  const columns = new Set(calls.map((call) => call.column));
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
