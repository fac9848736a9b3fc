import { walkRelation } from '../resolve/traverse.ts';
import type { Relation } from '../resolve/tree.ts';

/**
 * The parameters of a query that are the path of a JSON function: their values choose the member of an event that is
 * read, which cannot be told from the query (`lineage.ts`). The relation has its parameters still in it.
 */
export function pathParameters(relation: Relation): ReadonlySet<string> {
  const names = new Set<string>();
  walkRelation(relation, {
    expr: (expr) => {
      if (expr.kind !== 'call' || !expr.fn.startsWith('json_')) return;
      const [, path] = expr.args;
      if (path?.kind === 'parameter') names.add(path.name);
    },
  });
  return names;
}
