import { type Mapper, mapExpr, walkRelation } from '../resolve/traverse.ts';
import type { Column, Expr, Relation } from '../resolve/tree.ts';

/**
 * The columns that determine the rows of the relation and the values of one of its columns, including that column: those
 * that the engine reads for a statement that selects only that column.
 */
export function decidingColumns(relation: Relation, column: Column): ReadonlySet<Column> {
  const deciding = new Set([column]);
  visit(relation, deciding);
  return deciding;
}

function visit(relation: Relation, deciding: Set<Column>): void {
  switch (relation.kind) {
    case 'scan':
      return;
    case 'filter':
      addColumns(relation.condition, deciding);
      visit(relation.input, deciding);
      return;
    case 'unnestRecord':
    case 'unnestArray':
      addColumns(relation.value, deciding);
      if (relation.on !== null) addColumns(relation.on, deciding);
      visit(relation.input, deciding);
      return;
    case 'project':
      for (const item of relation.items) if (deciding.has(item.column)) addColumns(item.expr, deciding);
      visit(relation.input, deciding);
      return;
    case 'setOperation':
      for (const { relation: input, columns } of relation.inputs) {
        for (const [i, output] of relation.columns.entries()) {
          const below = columns[i];
          if (below !== undefined && deciding.has(output)) deciding.add(below);
        }
        visit(input, deciding);
      }
      return;
    default:
      walkRelation(relation, { expr: (expr) => expr.kind === 'column' && deciding.add(expr.column) });
  }
}

function addColumns(expr: Expr, into: Set<Column>): void {
  if (expr.kind === 'column') into.add(expr.column);
  const mapper: Mapper = {
    expr: (below) => {
      addColumns(below, into);
      return below;
    },
    relation: (below) => {
      walkRelation(below, { expr: (inner) => inner.kind === 'column' && into.add(inner.column) });
      return below;
    },
  };
  mapExpr(expr, mapper);
}
