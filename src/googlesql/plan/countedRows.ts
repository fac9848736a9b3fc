import { columnsMadeUp, type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { AggregateCall, Column, Expr, Relation } from '../resolve/tree.ts';
import { isLateBound } from './lateBoundTimes.ts';

/**
 * COUNT of a column that every row has is COUNT(*), which reads no column: people count events by their ids, and ids are
 * the dearest of all texts to read, as no two are alike.
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
 * Columns that hold a value in every row, in a walk that comes to what is below a relation first. What an outer join
 * makes up lacks the columns of its side: above the join they are none of these.
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
