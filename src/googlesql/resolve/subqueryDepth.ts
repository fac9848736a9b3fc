import { limits } from '../../core/limits.ts';
import type { Position } from '../syntax/nodes.ts';
import { sqlError } from './sqlError.ts';
import { type Mapper, mapExpr, mapRelation } from './traverse.ts';
import type { Expr, Relation } from './tree.ts';

const depths = new WeakMap<Expr | Relation, number>();

/** How many subqueries that are used as values stand inside one another, those of the WITH tables that are read included. */
function depthOf(node: Expr | Relation, map: (mapper: Mapper) => unknown): number {
  const known = depths.get(node);
  if (known !== undefined) return known;
  let below = 0;
  const mapper: Mapper = {
    expr: (expr) => {
      below = Math.max(
        below,
        depthOf(expr, (inner) => mapExpr(expr, inner)),
      );
      return expr;
    },
    relation: (relation) => {
      below = Math.max(
        below,
        depthOf(relation, (inner) =>
          relation.kind === 'withReference' ? inner.relation(relation.table.relation) : mapRelation(relation, inner),
        ),
      );
      return relation;
    },
  };
  map(mapper);
  const depth = below + (node.kind === 'subquery' || node.kind === 'inSubquery' ? 1 : 0);
  depths.set(node, depth);
  return depth;
}

/** The expression itself. Throws `sql.too_complex` where the engine would plan its subqueries for too long: with each one its time doubles or worse. */
export function withinSubqueryDepth(expr: Expr, pos: Position): Expr {
  const { subqueryDepthMax } = limits;
  if (depthOf(expr, (mapper) => mapExpr(expr, mapper)) <= subqueryDepthMax) return expr;
  const sentence = `More than ${subqueryDepthMax} subqueries stand inside one another as values here, WITH tables included; take the inner ones into FROM or a JOIN`;
  throw sqlError('sql.too_complex', sentence, pos, { expected: `at most ${subqueryDepthMax} levels of subqueries` });
}
