import type { Query } from '../syntax/nodes.ts';
import type { ExpressionContext } from './context.ts';
import { sqlError } from './sqlError.ts';
import type { Column, Relation } from './tree.ts';

/** Resolves a query that is used as a value or as a list of values, so it must have one column. */
export function onlyColumn(
  query: Query,
  context: ExpressionContext,
): { readonly relation: Relation; readonly column: Column } {
  const { relation, outputs } = context.resolveQuery(query, context.environment, context.scope);
  const [only] = outputs;
  if (only === undefined || outputs.length !== 1) {
    throw sqlError(
      'sql.type',
      `A subquery used as a value must have one column, but this one has ${outputs.length}`,
      query.pos,
    );
  }
  return { relation, column: only.column };
}
