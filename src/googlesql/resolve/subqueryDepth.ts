import type { EngineLimits } from '../engineLimits.ts';
import type { Position } from '../syntax/nodes.ts';
import { sqlError } from './sqlError.ts';
import type { Expr } from './tree.ts';
import { measureExpr } from './treeMeasure.ts';

/** The expression itself. Throws `sql.too_complex` where the engine would plan its subqueries for too long: with each one its time doubles or worse. */
export function withinSubqueryDepth(expr: Expr, pos: Position, { subqueryDepthMax }: EngineLimits): Expr {
  if (measureExpr(expr).subqueries <= subqueryDepthMax) return expr;
  const sentence = `More than ${subqueryDepthMax} subqueries stand inside one another as values here, WITH tables included; take the inner ones into FROM or a JOIN`;
  throw sqlError('sql.too_complex', sentence, pos, { expected: `at most ${subqueryDepthMax} levels of subqueries` });
}
