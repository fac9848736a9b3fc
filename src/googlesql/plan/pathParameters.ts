import { passing } from '../functions/passing.ts';
import { walkRelation } from '../resolve/traverse.ts';
import type { Relation } from '../resolve/tree.ts';

/**
 * The parameters of a query that say which member a function reads (`member` in `functions/passing.ts`), such as the path
 * of JSON_VALUE: which one that is cannot be told from the query (`lineage.ts`). The number of an element is no name.
 * The relation has its parameters still in it.
 */
export function pathParameters(relation: Relation): ReadonlySet<string> {
  const names = new Set<string>();
  walkRelation(relation, {
    expr: (expr) => {
      if (expr.kind !== 'call' || passing[expr.fn] !== 'member') return;
      const [, path] = expr.args;
      if (path?.kind === 'parameter' && path.type.kind !== 'INT64') names.add(path.name);
    },
  });
  return names;
}
