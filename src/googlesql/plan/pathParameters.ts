import { passing } from '../functions/passing.ts';
import { walkRelation } from '../resolve/traverse.ts';
import type { Relation } from '../resolve/tree.ts';

/**
 * The parameters that select the member that a function reads (`member` in `functions/passing.ts`), such as the path of
 * JSON_VALUE. The query does not say which member that is (`lineage.ts`). The index of an element does not count. The
 * relation must be unbound.
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
