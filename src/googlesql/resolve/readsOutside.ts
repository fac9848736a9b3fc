import { outputColumns, walkRelation } from './traverse.ts';
import type { Column, Relation, ScanRelation } from './tree.ts';

/**
 * The columns that the relation reads and nothing in it gives, so those of the queries around it.
 * `scanned` as for `outputColumns`.
 */
export function columnsOutside(
  relation: Relation,
  scanned?: (scan: ScanRelation) => readonly Column[],
): readonly Column[] {
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
  return [...read].filter((column) => !given.has(column));
}

/** Whether the relation reads a column of the query around it: whether a subquery of it is correlated. */
export function readsOutside(relation: Relation, scanned?: (scan: ScanRelation) => readonly Column[]): boolean {
  return columnsOutside(relation, scanned).length > 0;
}
