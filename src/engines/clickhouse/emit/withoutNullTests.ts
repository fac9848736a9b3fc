import { foldLogic } from '../../../googlesql/plan/fold.ts';
import { NeverNull } from '../../../googlesql/plan/neverNull.ts';
import { type Mapper, mapExpr, mapRelation } from '../../../googlesql/resolve/traverse.ts';
import type { Column, Expr, Relation } from '../../../googlesql/resolve/tree.ts';
import { BOOL } from '../../../googlesql/types.ts';

/**
 * Takes away the tests for NULL of columns that are never NULL, among them the arrival numbers, which every event in ClickHouse
 * has. Queries over pages test whether a number is there, because the embedded engine may hold events without one, and
 * ClickHouse cannot follow its index through such a test.
 */
export function withoutNullTests(
  relation: Relation,
  outputs: readonly Expr[],
  arrivals: Iterable<Column>,
): { readonly relation: Relation; readonly outputs: readonly Expr[] } {
  const never = new NeverNull(arrivals);
  const mapper: Mapper = {
    relation: (below) => {
      const mapped = mapRelation(below, mapper);
      never.note(mapped);
      return mapped;
    },
    expr: (expr) => {
      const mapped = mapExpr(expr, mapper);
      const [tested] = mapped.kind === 'call' && mapped.fn === '$is_null' ? mapped.args : [];
      if (tested?.kind === 'column' && never.holds(tested)) return { kind: 'literal', type: BOOL, value: false };
      return foldLogic(mapped);
    },
  };
  return { relation: mapper.relation(relation), outputs: outputs.map((output) => mapper.expr(output)) };
}
