import type { OrderingItem } from '../syntax/nodes.ts';
import { typeName } from '../types.ts';
import { sqlError } from './sqlError.ts';
import type { Expr, SortKey } from './tree.ts';

/** A sort key. NULLs come first ascending and last descending unless said otherwise (GoogleSQL, ORDER BY). */
export function resolveOrdering(item: Pick<OrderingItem, 'direction' | 'nulls' | 'pos'>, expr: Expr): SortKey {
  if (expr.type.kind === 'ARRAY' || expr.type.kind === 'STRUCT') {
    throw sqlError('sql.type', `A value of type ${typeName(expr.type)} has no order`, item.pos);
  }
  const descending = item.direction === 'desc';
  return { expr, descending, nulls: item.nulls ?? (descending ? 'last' : 'first') };
}
