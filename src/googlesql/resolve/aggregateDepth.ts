import type { EngineLimits } from '../engineLimits.ts';
import type { Position } from '../syntax/nodes.ts';
import { sqlError } from './sqlError.ts';
import { type Mapper, mapExpr, mapRelation } from './traverse.ts';
import type { Relation } from './tree.ts';

const depths = new WeakMap<Relation, number>();

/** The depth of nested aggregations, including those in the WITH tables that are read. */
function depthOf(relation: Relation): number {
  const known = depths.get(relation);
  if (known !== undefined) return known;
  let below = 0;
  const mapper: Mapper = {
    expr: (expr) => mapExpr(expr, mapper),
    relation: (inner) => {
      below = Math.max(below, depthOf(inner));
      return inner;
    },
  };
  if (relation.kind === 'withReference') below = depthOf(relation.table.relation);
  else mapRelation(relation, mapper);
  const depth = below + (relation.kind === 'aggregate' ? 1 : 0);
  depths.set(relation, depth);
  return depth;
}

/** Throws `sql.too_complex` if too many aggregations are nested. */
export function checkAggregateDepth(relation: Relation, pos: Position, { aggregateDepthMax }: EngineLimits): void {
  if (depthOf(relation) <= aggregateDepthMax) return;
  const sentence = `More than ${aggregateDepthMax} aggregations are nested here, including those in WITH tables; aggregate in fewer steps`;
  throw sqlError('sql.too_complex', sentence, pos, { expected: `at most ${aggregateDepthMax} aggregations` });
}
