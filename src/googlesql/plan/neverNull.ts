import { columnsMadeUp, type Mapper, mapRelation } from '../resolve/traverse.ts';
import type { AggregateCall, Column, Expr, Relation } from '../resolve/tree.ts';
import { isLateBound } from './lateBoundTimes.ts';

/**
 * Finds the columns of a query's rows that are never NULL, whatever the events are. Redaction cannot make them NULL either,
 * because none is a number that is read from a member.
 */
export function columnsNeverNull(relation: Relation): Pick<NeverNull, 'isKnown'> {
  const never = new NeverNull();
  const mapper: Mapper = {
    expr: (expr) => expr,
    relation: (below) => {
      const mapped = mapRelation(below, mapper);
      never.note(mapped);
      return mapped;
    },
  };
  mapper.relation(relation);
  return never;
}

/** Functions over several rows that are never NULL, even over none. */
const counts: ReadonlySet<string> = new Set([
  ...['count', 'countif', 'approx_count_distinct', 'grouping'],
  ...['row_number', 'rank', 'dense_rank', 'percent_rank', 'cume_dist'],
]);

/**
 * Tracks the columns that are never NULL, in a walk that visits inputs first. Columns on the side where an outer join adds
 * unmatched rows do not count above the join.
 */
export class NeverNull {
  readonly #columns = new Set<Column>();
  /** Columns that redaction cannot make NULL. An outer join can. */
  readonly #unredacted = new Set<Column>();

  /** `also` are columns of scans that the engine never has as NULL, besides those that no engine has. */
  constructor(also: Iterable<Column> = []) {
    for (const column of also) this.#add(column);
  }

  note(relation: Relation): void {
    switch (relation.kind) {
      case 'scan': {
        const { id, timestamp, project, event_message: message } = relation.columns;
        for (const column of [id, timestamp, project, message]) this.#add(column);
        return;
      }
      case 'project':
        this.#pass(relation.items);
        return;
      case 'aggregate':
        if (!relation.rollup) this.#pass(relation.keys);
        this.#count(relation.aggregates);
        return;
      case 'window':
        this.#count(relation.calls);
        return;
      case 'setOperation':
        for (const [i, column] of relation.columns.entries()) {
          const isInAll = relation.inputs.every(({ columns }) => this.isKnown(columns[i]));
          if (isInAll) this.#add(column);
        }
        return;
      case 'withReference':
        for (const [i, column] of relation.columns.entries()) {
          const of = relation.table.columns[i];
          if (this.isKnown(of)) this.#add(column);
          else if (of !== undefined && this.#unredacted.has(of)) this.#unredacted.add(column);
        }
        return;
      case 'join':
        for (const column of columnsMadeUp(relation)) this.#columns.delete(column);
        return;
      default:
    }
  }

  #pass(items: readonly { readonly column: Column; readonly expr: Expr }[]): void {
    for (const { column, expr } of items) {
      if (this.holds(expr)) this.#add(column);
      else if (this.#isUnredactedColumn(expr)) this.#unredacted.add(column);
    }
  }

  #count(calls: readonly AggregateCall[]): void {
    for (const { column, fn } of calls) if (counts.has(fn)) this.#add(column);
  }

  /** Whether an expression is never NULL. */
  holds(expr: Expr): boolean {
    if (expr.kind === 'column') return this.#columns.has(expr.column);
    if (expr.kind === 'call' && (expr.fn === 'ifnull' || expr.fn === 'coalesce')) {
      let isAnyHeld = false;
      for (const arg of expr.args) {
        if (arg.kind === 'part') continue;
        // Asked once: asking twice at each level would take a time that doubles with each level of nesting.
        const isHeld = this.holds(arg);
        if (!isHeld && !this.#isUnredactedColumn(arg)) return false;
        isAnyHeld ||= isHeld;
      }
      return isAnyHeld;
    }
    return expr.kind === 'literal' && (isLateBound(expr) || expr.value !== null);
  }

  #isUnredactedColumn(expr: Expr): boolean {
    return expr.kind === 'column' && this.#unredacted.has(expr.column);
  }

  #add(column: Column): void {
    this.#columns.add(column);
    this.#unredacted.add(column);
  }

  /** Whether a column that was noted is never NULL. */
  isKnown(column: Column | undefined): boolean {
    return column !== undefined && this.#columns.has(column);
  }
}
