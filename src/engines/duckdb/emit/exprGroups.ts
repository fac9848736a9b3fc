import { type Mapper, mapExpr, mapRelation } from '../../../googlesql/resolve/traverse.ts';
import type { Expr } from '../../../googlesql/resolve/tree.ts';

/** Nodes of a syntax tree that are written in one step, which takes some milliseconds before the code is optimised. */
const stepNodes = 512;

/**
 * Divides a large expression into groups of parts that are written in one step each, the inner parts first. Returns none
 * for a small one. A subquery is never divided, because its columns have names only within it.
 */
export function groupsOf(root: Expr, nodesMax: number = stepNodes): readonly (readonly Expr[])[] {
  const groups: Expr[][] = [];
  /** The nodes of the current expression so far, without those of finished groups. */
  let nodes = 0;
  let group: Expr[] = [];
  const inSubquery: Mapper = {
    expr: (expr) => {
      nodes++;
      return mapExpr(expr, inSubquery);
    },
    relation: (relation) => {
      nodes++;
      return mapRelation(relation, inSubquery);
    },
  };
  const mapper: Mapper = {
    relation: inSubquery.relation,
    expr: (expr) => {
      const [outerNodes, outer] = [nodes, group];
      nodes = 1;
      group = [];
      mapExpr(expr, mapper);
      nodes += outerNodes;
      group = outer;
      group.push(expr);
      if (nodes >= nodesMax) {
        groups.push(group);
        group = [];
        nodes = 0;
      }
      return expr;
    },
  };
  mapExpr(root, mapper);
  return groups;
}
