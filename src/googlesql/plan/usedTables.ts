import { walkRelation } from '../resolve/traverse.ts';
import type { Relation } from '../resolve/tree.ts';

/** Removes top-level WITH tables that the query does not read. */
export function withoutUnusedTables(root: Relation): Relation {
  if (root.kind !== 'with') return root;
  const byId = new Map(root.tables.map((table) => [table.id, table]));
  const used = new Set<number>();
  const open: Relation[] = [root.body];
  // A worklist instead of recursion, because tables may read one another in a chain of any length.
  for (let relation = open.pop(); relation !== undefined; relation = open.pop()) {
    walkRelation(relation, {
      relation: (below) => {
        if (below.kind !== 'withReference' || used.has(below.table.id)) return;
        used.add(below.table.id);
        const table = byId.get(below.table.id);
        if (table !== undefined) open.push(table.relation);
      },
    });
  }
  return { ...root, tables: root.tables.filter((table) => used.has(table.id)) };
}
