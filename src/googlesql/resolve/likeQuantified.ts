import { assertNever } from '../../core/assertNever.ts';
import type { LikeList, LikeSubquery, LikeUnnest } from '../syntax/nodes.ts';
import { arrayOf, BYTES, STRING } from '../types.ts';
import { asArray } from './asArray.ts';
import { call, negate } from './catalogueCall.ts';
import { coerce, coercionCost } from './coercion.ts';
import type { ExpressionContext } from './context.ts';
import { holdsSubquery } from './holdsSubquery.ts';
import { columnExpr } from './names.ts';
import { onlyColumn } from './onlyColumn.ts';
import { sqlError } from './sqlError.ts';
import type { Expr } from './tree.ts';

/** Each pattern adds one subquery, and the engine plans them nested. */
export const subqueryPatternsMax = 100;

/**
 * `value [NOT] LIKE ANY | SOME | ALL` with patterns in a list, an array or a subquery (GoogleSQL, "Quantified LIKE
 * operator"). NOT applies to each comparison: NOT LIKE ANY is true if one pattern does not match, so it is the negation
 * of LIKE ALL.
 */
export function resolveQuantifiedLike(node: LikeList | LikeUnnest | LikeSubquery, context: ExpressionContext): Expr {
  const operand = context.resolveExpr(node.operand, context);
  const isAny = (node.quantifier === 'any') !== node.isNegated;
  return negate(node.isNegated, matches(node, operand, isAny, context), node.pos);
}

function matches(
  node: LikeList | LikeUnnest | LikeSubquery,
  operand: Expr,
  isAny: boolean,
  context: ExpressionContext,
): Expr {
  switch (node.kind) {
    case 'LikeList': {
      const patterns = node.patterns.map((pattern) => context.resolveExpr(pattern, context));
      return eachMatches(node, operand, patterns, isAny);
    }
    case 'LikeUnnest': {
      const array = asArray(context.resolveExpr(node.array, context), STRING, node.pos);
      if (array.kind === 'array' && array.elements.length > 0) return eachMatches(node, operand, array.elements, isAny);
      return inArray(node, operand, array, isAny);
    }
    case 'LikeSubquery':
      return inArray(node, operand, patternsOf(node, operand, context), isAny);
    default:
      return assertNever(node);
  }
}

type Quantified = Pick<LikeList, 'isCaseInsensitive' | 'quantifier' | 'pos'>;

function eachMatches(node: Quantified, operand: Expr, patterns: readonly Expr[], isAny: boolean): Expr {
  if (patterns.length > subqueryPatternsMax && holdsSubquery(operand)) {
    const sentence = `A subquery before LIKE ${node.quantifier.toUpperCase()} runs once for each pattern, so at most ${subqueryPatternsMax} patterns are allowed; compute it in a WITH table first`;
    throw sqlError('sql.too_complex', sentence, node.pos);
  }
  const fn = node.isCaseInsensitive ? '$ilike' : '$like';
  const each = patterns.map((pattern) => call(fn, [operand, pattern], node.pos));
  return call(isAny ? '$or' : '$and', each, node.pos);
}

function inArray(node: Quantified, operand: Expr, patterns: Expr, isAny: boolean): Expr {
  if (node.isCaseInsensitive) return call(isAny ? '$ilike_any' : '$ilike_all', [operand, patterns], node.pos);
  return call(isAny ? '$like_any' : '$like_all', [operand, patterns], node.pos);
}

/** The rows of a subquery as an array of patterns; nested values are read as strings. */
function patternsOf(node: LikeSubquery, operand: Expr, context: ExpressionContext): Expr {
  const { relation, column } = onlyColumn(node.query, context);
  const read = columnExpr(column);
  const type = operand.type.kind === 'BYTES' && column.type.kind !== 'STRING' ? BYTES : STRING;
  if (coercionCost(read, type) === null) {
    return {
      kind: 'subquery',
      mode: 'array',
      type: arrayOf(column.type),
      query: relation,
      column,
      pos: node.query.pos,
    };
  }
  const expr = coerce(read, type, node.query.pos);
  const pattern = context.session.columnFor(column.name, expr);
  const query = { kind: 'project', input: relation, items: [{ column: pattern, expr }] } as const;
  return { kind: 'subquery', mode: 'array', type: arrayOf(type), query, column: pattern, pos: node.query.pos };
}
