import type { FunctionName } from '../../src/googlesql/functions/catalogue.ts';
import { walkRelation } from '../../src/googlesql/resolve/traverse.ts';
import type { Relation, ResolvedQuery } from '../../src/googlesql/resolve/tree.ts';
import type { FunctionCall } from '../../src/googlesql/syntax/expressionNodes.ts';
import { parseQuery } from '../../src/googlesql/syntax/parser.ts';

/** Every function that a query names, and every operator and special form that it comes down to. */
export function calledFunctions(sql: string, { relation }: ResolvedQuery): ReadonlySet<string> {
  const called = new Set<string>();
  namedIn(parseQuery(sql).query, called);
  const body = relation.kind === 'with' ? relation.body : relation;
  const add = (name: FunctionName) => called.add(name);
  walkRelation(body, {
    expr: (expr) => {
      if (expr.kind === 'call') add(expr.fn);
    },
    relation: (below: Relation) => {
      if (below.kind === 'aggregate') for (const { fn } of below.aggregates) add(fn);
      if (below.kind === 'window') for (const { fn } of below.calls) add(fn);
    },
  });
  return called;
}

/** Names of calls in the syntax tree: some functions are written otherwise once they are resolved, as IF is a CASE. */
function namedIn(node: unknown, called: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  if ('kind' in node && node.kind === 'FunctionCall' && 'name' in node) {
    const { name } = node as FunctionCall;
    called.add(name.map((part) => part.name.toLowerCase()).join('.'));
  }
  // Written as two comparisons once it is resolved.
  if ('kind' in node && node.kind === 'Between') called.add('$between');
  for (const child of Object.values(node)) namedIn(child, called);
}
