import { type Mapper, mapExpr, mapRelation } from './traverse.ts';
import type { Column, Computed, Expr } from './tree.ts';

/**
 * The keys of a ROLLUP, except those computed from columns that are also keys. In GoogleSQL, the a + 1 of ROLLUP(a, a + 1)
 * is computed from the key a.
 */
export function underivedKeys(keys: readonly Computed[]): readonly Computed[] {
  const columns = new Set(keys.flatMap(({ expr }) => (expr.kind === 'column' ? [expr.column] : [])));
  return keys.filter(({ expr }) => {
    if (expr.kind === 'column') return true;
    const read = columnsOf(expr);
    return read.length === 0 || read.some((column) => !columns.has(column));
  });
}

function columnsOf(expr: Expr): readonly Column[] {
  const columns: Column[] = [];
  const mapper: Mapper = {
    expr(below) {
      if (below.kind === 'column') columns.push(below.column);
      return mapExpr(below, mapper);
    },
    relation: (relation) => mapRelation(relation, mapper),
  };
  mapper.expr(expr);
  return columns;
}
