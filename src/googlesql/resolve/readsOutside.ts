import { outputColumns, walkRelation } from './traverse.ts';
import type { Column, Relation, ScanRelation } from './tree.ts';

/**
 * Whether the relation reads a column that nothing in it gives, so one of the query around it: whether a
 * subquery of it is correlated. `scanned` as for `outputColumns`.
 */
export function readsOutside(relation: Relation, scanned?: (scan: ScanRelation) => readonly Column[]): boolean {
  const given = new Set<Column>();
  const read = new Set<Column>();
  walkRelation(relation, {
    relation: (below) => {
      for (const column of outputColumns(below, scanned)) given.add(column);
    },
    expr: (expr) => {
      if (expr.kind === 'column') read.add(expr.column);
    },
  });
  return [...read].some((column) => !given.has(column));
}
