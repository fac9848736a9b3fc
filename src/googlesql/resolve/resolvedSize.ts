import type { Position } from '../syntax/nodes.ts';
import type { SqlType } from '../types.ts';
import { sqlError } from './sqlError.ts';
import type { Expr } from './tree.ts';
import { measureExpr } from './treeMeasure.ts';

/**
 * The most nodes in a resolved expression; no reasonable text within the limit of syntax nodes reaches it. BETWEEN, CASE
 * and IN repeat their operand, so a short text can stand for a tree too large to walk.
 */
const resolvedNodesMax = 100_000;

/** The deepest nesting of STRUCTs, as in BigQuery. A row selected as a value is also a STRUCT. */
export const typeDepthMax = 15;

function typeDepth(type: SqlType): number {
  if (type.kind === 'ARRAY') return typeDepth(type.element);
  if (type.kind !== 'STRUCT') return 0;
  return 1 + type.fields.reduce((depth, field) => Math.max(depth, typeDepth(field.type)), 0);
}

/** Returns the expression. Throws `sql.too_complex` if STRUCTs are nested too deeply in its type. */
export function withinTypeDepth(expr: Expr, pos: Position): Expr {
  if (typeDepth(expr.type) <= typeDepthMax) return expr;
  throw sqlError('sql.too_complex', `STRUCTs are nested more than ${typeDepthMax} levels deep here`, pos, {
    expected: `at most ${typeDepthMax} levels of STRUCT`,
  });
}

/** Returns the expression. Throws `sql.too_complex` if it has too many nodes. */
export function withinSize(expr: Expr, pos: Position): Expr {
  if (measureExpr(expr).nodes <= resolvedNodesMax) return expr;
  throw sqlError(
    'sql.too_complex',
    'The expression is too large (the operand of BETWEEN, CASE and IN counts once for each comparison); compute parts of it in a WITH table first',
    pos,
  );
}
