import { outputColumns, walkRelation } from './traverse.ts';
import type { Column, Relation, ScanRelation } from './tree.ts';

/**
 * The columns that the relation reads from the enclosing queries, because nothing in it produces them. `scanned` as for
 * `outputColumns`.
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

/** Whether the relation reads a column of an enclosing query, so that a subquery of it is correlated. */
export function readsOutside(relation: Relation, scanned?: (scan: ScanRelation) => readonly Column[]): boolean {
  return columnsOutside(relation, scanned).length > 0;
}
