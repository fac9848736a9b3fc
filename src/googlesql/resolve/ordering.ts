import type { OrderingItem } from '../syntax/nodes.ts';
import { typeName } from '../types.ts';
import { sqlError } from './sqlError.ts';
import type { Expr, SortKey } from './tree.ts';

/** Makes a sort key. By default, NULLs come first ascending and last descending (GoogleSQL, ORDER BY). */
export function resolveOrdering(item: Pick<OrderingItem, 'direction' | 'nulls' | 'pos'>, expr: Expr): SortKey {
  if (expr.type.kind === 'ARRAY' || expr.type.kind === 'STRUCT') {
    throw sqlError('sql.type', `Values of type ${typeName(expr.type)} cannot be ordered`, item.pos);
  }
  const descending = item.direction === 'desc';
  return { expr, descending, nulls: item.nulls ?? (descending ? 'last' : 'first') };
}
