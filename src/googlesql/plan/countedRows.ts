import { columnsMadeUp, type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { AggregateCall, Column, Expr, Relation } from '../resolve/tree.ts';
import { isLateBound } from './lateBoundTimes.ts';

/**
 * Replaces COUNT of a column that is never NULL with COUNT(*), which reads no column. Queries often count ids, and ids are
 * the most expensive texts to read, because all of them differ.
 */
export function countRows(relation: Relation): Relation {
  const never = new NeverNull();
  const mapper: Mapper = {
    expr: (expr) => mapExpr(expr, mapper),
    relation: (below) => {
      const mapped = mapRelation(below, mapper);
      never.note(mapped);
      if (mapped.kind === 'aggregate' && mapped.aggregates.some(never.isCounted))
        return { ...mapped, aggregates: mapped.aggregates.map(never.counted) };
      if (mapped.kind === 'window' && mapped.calls.some(never.isCounted))
        return { ...mapped, calls: mapped.calls.map(never.counted) };
      return mapped;
    },
  };
  return mapper.relation(relation);
}

/**
 * Tracks the columns that are never NULL, in a walk that visits inputs first. Columns on the side where an outer join adds
 * unmatched rows do not count above the join.
 */
class NeverNull {
  readonly #columns = new Set<Column>();

  /** Whether the call counts every row. */
  readonly isCounted = ({ fn, modifiers, args: [value] }: AggregateCall): boolean =>
    fn === 'count' && !modifiers.distinct && value !== undefined && value.kind !== 'part' && this.#holds(value);

  readonly counted = <C extends AggregateCall>(call: C): C => (this.isCounted(call) ? { ...call, args: [] } : call);

  note(relation: Relation): void {
    switch (relation.kind) {
      case 'scan': {
        const { id, timestamp, project, event_message: message } = relation.columns;
        for (const column of [id, timestamp, project, message]) this.#columns.add(column);
        return;
      }
      case 'project':
        this.#pass(relation.items);
        return;
      case 'aggregate':
        if (!relation.rollup) this.#pass(relation.keys);
        return;
      case 'setOperation':
        for (const [i, column] of relation.columns.entries()) {
          const isInAll = relation.inputs.every(({ columns }) => this.#isKnown(columns[i]));
          if (isInAll) this.#columns.add(column);
        }
        return;
      case 'withReference':
        for (const [i, column] of relation.columns.entries()) {
          if (this.#isKnown(relation.table.columns[i])) this.#columns.add(column);
        }
        return;
      case 'join':
        for (const column of columnsMadeUp(relation)) this.#columns.delete(column);
        return;
      default:
    }
  }

  #pass(items: readonly { readonly column: Column; readonly expr: Expr }[]): void {
    for (const { column, expr } of items) if (this.#holds(expr)) this.#columns.add(column);
  }

  #holds(expr: Expr): boolean {
    if (expr.kind === 'column') return this.#columns.has(expr.column);
    return expr.kind === 'literal' && (isLateBound(expr) || expr.value !== null);
  }

  #isKnown(column: Column | undefined): boolean {
    return column !== undefined && this.#columns.has(column);
  }
}
