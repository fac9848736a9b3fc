import type { Expr, Relation, ResolvedQuery } from './resolve/tree.ts';
import { INT64 } from './types.ts';

/** A query without its outermost LIMIT. */
export interface WithoutOuterLimit extends Pick<ResolvedQuery, 'outerLimit' | 'outerLimitParameter'> {
  readonly body: Relation;
}

/** LIMITs beyond it stay in the query. No answer or stream has more rows. */
const rowsMost = 1_000_000_000n;

/**
 * Separates the LIMIT of the outermost query, which the run applies itself, from the query. With OFFSET, the LIMIT stays and
 * lets one more row pass, so that an engine still knows how few rows it needs to sort.
 */
export function withoutOuterLimit(relation: Relation): WithoutOuterLimit {
  if (relation.kind === 'with') {
    const { body, ...limit } = withoutOuterLimit(relation.body);
    return { body: { ...relation, body }, ...limit };
  }
  const none = { body: relation, outerLimit: null };
  if (relation.kind !== 'limit' || relation.limit === null) return none;
  const { limit, offset, input } = relation;
  if (limit.kind === 'literal') {
    if (typeof limit.value !== 'bigint' || limit.value > rowsMost) return none;
    const body: Relation = offset === null ? input : { ...relation, limit: integer(limit.value + 1n) };
    return { body, outerLimit: Number(limit.value) };
  }
  if (limit.kind !== 'parameter') return none;
  const body: Relation = offset === null ? input : { ...relation, limit: oneMore(limit) };
  return { body, outerLimit: null, outerLimitParameter: limit.name };
}

const integer = (value: bigint): Expr => ({ kind: 'literal', type: INT64, value });

const start = { offset: 0, line: 1, column: 1 };

/** Of the largest INT64 too, there is one more. */
function oneMore(count: Expr): Expr {
  const call = (fn: 'least' | '$add', args: readonly Expr[]): Expr => ({
    kind: 'call',
    type: INT64,
    fn,
    args,
    safe: false,
    pos: start,
  });
  return call('$add', [call('least', [count, integer(rowsMost)]), integer(1n)]);
}
