import type { Position } from '../syntax/nodes.ts';
import type { SqlType } from '../types.ts';
import { sqlError } from './sqlError.ts';
import type { Expr } from './tree.ts';
import { measureExpr } from './treeMeasure.ts';

/**
 * Nodes of a resolved expression at most; a text of as many syntax nodes as are read of reasonable form has fewer. BETWEEN, CASE and IN put
 * their operand in more than one place, so a short text can stand for a tree that no pass could walk.
 */
const resolvedNodesMax = 100_000;

/** STRUCTs inside one another at most, as in BigQuery. A row selected as a value is a STRUCT too. */
export const typeDepthMax = 15;

function typeDepth(type: SqlType): number {
  if (type.kind === 'ARRAY') return typeDepth(type.element);
  if (type.kind !== 'STRUCT') return 0;
  return 1 + type.fields.reduce((depth, field) => Math.max(depth, typeDepth(field.type)), 0);
}

/** The expression itself. Throws `sql.too_complex` where its type nests deeper than a row could be written with. */
export function withinTypeDepth(expr: Expr, pos: Position): Expr {
  if (typeDepth(expr.type) <= typeDepthMax) return expr;
  throw sqlError('sql.too_complex', `STRUCTs stand more than ${typeDepthMax} deep inside one another here`, pos, {
    expected: `at most ${typeDepthMax} levels of STRUCT`,
  });
}

/** The expression itself. Throws `sql.too_complex` where it has grown beyond what can be walked. */
export function withinSize(expr: Expr, pos: Position): Expr {
  if (measureExpr(expr).nodes <= resolvedNodesMax) return expr;
  throw sqlError(
    'sql.too_complex',
    'Too many expressions stand inside one another here (the operand of BETWEEN, CASE and IN counts once for each comparison); compute the inner ones in a WITH table first',
    pos,
  );
}
