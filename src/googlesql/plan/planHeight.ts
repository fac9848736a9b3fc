import { ServiceError } from '../../core/errors.ts';
import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { Relation } from '../resolve/tree.ts';

/**
 * Relations inside one another at most, those of the WITH tables that are read included. The height of
 * a text is bounded (parseLimits.ts), but tables that read one another in a chain multiply it, and
 * every later pass recurses.
 */
export const planHeightMax = 600;

/** Throws `sql.too_complex` where more relations would stand inside one another. */
export function checkPlanHeight(root: Relation): void {
  const tables = new Map<number, number>();
  const heightOf = (relation: Relation, above: number): number => {
    if (above > planHeightMax) throw tooHigh();
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
    if (above + below > planHeightMax) throw tooHigh();
    return below + 1;
  };
  heightOf(root, 1);
}

const tooHigh = (): ServiceError =>
  new ServiceError(
    'sql.too_complex',
    `WITH tables and subqueries stand on one another in more than ${planHeightMax} steps here; take fewer steps`,
  );
