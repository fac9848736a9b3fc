import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { AggregateCall, Relation } from '../resolve/tree.ts';
import { NeverNull } from './neverNull.ts';

/**
 * Replaces COUNT of a column that is never NULL with COUNT(*), which reads no column. Queries often count ids, and ids are
 * the most expensive texts to read, because all of them differ.
 */
export function countRows(relation: Relation): Relation {
  const never = new NeverNull();
  const isCounted = ({ fn, modifiers, args: [value] }: AggregateCall): boolean =>
    fn === 'count' && !modifiers.distinct && value !== undefined && value.kind !== 'part' && never.holds(value);
  const counted = <C extends AggregateCall>(call: C): C => (isCounted(call) ? { ...call, args: [] } : call);
  const mapper: Mapper = {
    expr: (expr) => mapExpr(expr, mapper),
    relation: (below) => {
      const mapped = mapRelation(below, mapper);
      never.note(mapped);
      if (mapped.kind === 'aggregate' && mapped.aggregates.some(isCounted))
        return { ...mapped, aggregates: mapped.aggregates.map(counted) };
      if (mapped.kind === 'window' && mapped.calls.some(isCounted))
        return { ...mapped, calls: mapped.calls.map(counted) };
      return mapped;
    },
  };
  return mapper.relation(relation);
}
