import type { EngineLimits } from '../engineLimits.ts';
import type { Position } from '../syntax/nodes.ts';
import { sqlError } from './sqlError.ts';
import type { Expr } from './tree.ts';
import { measureExpr } from './treeMeasure.ts';

/** Returns the expression. Throws `sql.too_complex` if its subqueries are nested too deeply: each level at least doubles the engine's planning time. */
export function withinSubqueryDepth(expr: Expr, pos: Position, { subqueryDepthMax }: EngineLimits): Expr {
  if (measureExpr(expr).subqueries <= subqueryDepthMax) return expr;
  const sentence = `Subqueries used as values are nested more than ${subqueryDepthMax} levels deep here, including those in WITH tables; move the inner ones into FROM or a JOIN`;
  throw sqlError('sql.too_complex', sentence, pos, { expected: `at most ${subqueryDepthMax} levels of subqueries` });
}
