import type { Expression } from '../syntax/nodes.ts';
import { INT64 } from '../types.ts';
import { coercionCost } from './coercion.ts';
import type { ExpressionContext, ResolvedSubquery } from './context.ts';
import { impliedName, resolveExpr } from './expressions.ts';
import { sqlError } from './sqlError.ts';
import type { Expr } from './tree.ts';

/** Applies LIMIT and OFFSET, which are integers or int64 parameters. */
export function resolveLimit(
  clause: { readonly limit: Expression | undefined; readonly offset: Expression | undefined },
  body: ResolvedSubquery,
  context: ExpressionContext,
): ResolvedSubquery {
  if (clause.limit === undefined) return body;
  const limit = count(clause.limit, 'LIMIT', context);
  const offset = clause.offset === undefined ? null : count(clause.offset, 'OFFSET', context);
  return { ...body, relation: { kind: 'limit', input: body.relation, limit, offset } };
}

function count(node: Expression, clause: string, context: ExpressionContext): Expr {
  const expr = resolveExpr(node, { ...context, clause });
  const isCount = expr.kind === 'literal' && typeof expr.value === 'bigint' && expr.value >= 0n;
  if (isCount) return expr;
  if (expr.kind === 'parameter' && coercionCost(expr, INT64) === 0) {
    context.session.countParameters.add(expr.name);
    return expr;
  }
  throw sqlError('sql.type', `${clause} must be an integer of 0 or more, or an int64 parameter`, node.pos, {
    token: impliedName(node),
    expected: 'INT64',
  });
}
