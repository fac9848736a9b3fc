import { walkRelation } from '../resolve/traverse.ts';
import type { Relation } from '../resolve/tree.ts';

/** Leaves out the WITH tables at the top that the query does not read, so that they cost nothing afterwards. */
export function withoutUnusedTables(root: Relation): Relation {
  if (root.kind !== 'with') return root;
  const used = new Set<number>();
  const byId = new Map(root.tables.map((table) => [table.id, table]));
  const visit = (relation: Relation): void => {
    walkRelation(relation, {
      relation: (below) => {
        if (below.kind !== 'withReference' || used.has(below.table.id)) return;
        used.add(below.table.id);
        const table = byId.get(below.table.id);
        if (table !== undefined) visit(table.relation);
      },
    });
  };
  visit(root.body);
  return { ...root, tables: root.tables.filter((table) => used.has(table.id)) };
}
