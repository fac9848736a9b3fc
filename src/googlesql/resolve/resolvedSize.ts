import { limits } from '../../core/limits.ts';
import type { Position } from '../syntax/nodes.ts';
import { sqlError } from './sqlError.ts';
import type { Expr } from './tree.ts';
import { measureExpr } from './treeMeasure.ts';
import { measureType } from './typeMeasure.ts';

/**
 * The most nodes in a resolved expression; no reasonable text within the limit of syntax nodes reaches it. BETWEEN, CASE
 * and IN repeat their operand, so a short text can stand for a tree too large to walk.
 */
const resolvedNodesMax = 100_000;

/** The deepest nesting of STRUCTs, as in BigQuery. A row selected as a value is also a STRUCT. */
export const typeDepthMax = 15;

/** The most values in one value: the fields of a STRUCT, and those of STRUCTs in it. A result may have as many columns. */
export const typeValuesMax = limits.outputColumnsMax;

/** Returns the expression. Throws `sql.too_complex` if STRUCTs are nested too deeply in its type, or have too many fields. */
export function withinTypeSize(expr: Expr, pos: Position): Expr {
  const { values, depth } = measureType(expr.type);
  if (depth > typeDepthMax) {
    throw sqlError('sql.too_complex', `STRUCTs are nested more than ${typeDepthMax} levels deep here`, pos, {
      expected: `at most ${typeDepthMax} levels of STRUCT`,
    });
  }
  if (values - 1 <= typeValuesMax) return expr;
  const sentence = `A value may have at most ${typeValuesMax.toLocaleString('en')} fields, with those of the STRUCTs in it`;
  throw sqlError('sql.too_complex', sentence, pos, { expected: `at most ${typeValuesMax} fields` });
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
