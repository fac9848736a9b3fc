import type { EngineLimits } from '../engineLimits.ts';
import { planTooHigh } from '../resolve/planTooHigh.ts';
import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { Relation } from '../resolve/tree.ts';

/** Throws `sql.too_complex` if relations would be nested too deeply. */
export function checkPlanHeight(root: Relation, limits: EngineLimits): void {
  const { planHeightMax } = limits;
  const tables = new Map<number, number>();
  const heightOf = (relation: Relation, above: number): number => {
    if (above > planHeightMax) throw planTooHigh(limits);
    let below = 0;
    const mapper: Mapper = {
      expr: (expr) => mapExpr(expr, mapper),
      relation: (inner) => {
        below = Math.max(below, heightOf(inner, above + 1));
        return inner;
      },
    };
    if (relation.kind !== 'withReference') mapRelation(relation, mapper);
    else {
      const known = tables.get(relation.table.id) ?? heightOf(relation.table.relation, above + 1);
      tables.set(relation.table.id, known);
      below = known;
    }
    if (above + below > planHeightMax) throw planTooHigh(limits);
    return below + 1;
  };
  heightOf(root, 1);
}
