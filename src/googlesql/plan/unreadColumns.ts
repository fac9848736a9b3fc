import { type Mapper, mapExpr, mapRelation, outputColumns } from '../resolve/traverse.ts';
import type { Column, Expr, Relation, WithTable } from '../resolve/tree.ts';

/**
 * Projection pruning: removes items of projections, aggregates, window calls and columns of WITH tables that are never read.
 * `outputs` are the query's outputs over the columns of the relation. Rows stay the same: grouping keys and the columns of
 * DISTINCT and set operations count as read. An expression that is not computed cannot fail, as in BigQuery.
 */
export function withoutUnreadColumns(relation: Relation, outputs: readonly Expr[]): Relation {
  const read = new ReadColumns();
  for (const output of outputs) read.visitExpr(output);
  read.visit(relation);
  return keepOnly(relation, read.columns);
}

/** One walk from the outside: the readers of a relation's columns are above it, or after it in WITH. */
class ReadColumns {
  readonly columns = new Set<Column>();
  /** The inputs of the current relation, visited after its own expressions. */
  #inputs: Relation[] = [];
  readonly #inside: Mapper = {
    expr: (expr) => {
      this.visitExpr(expr);
      return expr;
    },
    relation: (relation) => {
      this.visit(relation);
      return relation;
    },
  };
  readonly #own: Mapper = {
    expr: this.#inside.expr,
    relation: (input) => {
      this.#inputs.push(input);
      return input;
    },
  };

  visit(relation: Relation): void {
    switch (relation.kind) {
      case 'with':
        this.visit(relation.body);
        for (const table of relation.tables.toReversed()) this.visit(table.relation);
        return;
      case 'withReference':
        for (const [i, column] of relation.columns.entries()) {
          const source = relation.table.columns[i];
          if (source !== undefined && this.columns.has(column)) this.columns.add(source);
        }
        return;
      case 'distinct':
        for (const column of outputColumns(relation.input)) this.columns.add(column);
        break;
      case 'setOperation':
        for (const input of relation.inputs) for (const column of input.columns) this.columns.add(column);
        break;
      default:
    }
    const before = this.#inputs;
    const inputs: Relation[] = [];
    this.#inputs = inputs;
    mapRelation(withOnly(relation, this.columns), this.#own);
    this.#inputs = before;
    for (const input of inputs) this.visit(input);
  }

  visitExpr(expr: Expr): void {
    if (expr.kind === 'column') this.columns.add(expr.column);
    if ((expr.kind === 'subquery' || expr.kind === 'inSubquery') && expr.column !== null) this.columns.add(expr.column);
    mapExpr(expr, this.#inside);
  }
}

/** The relation with only these of the columns that it computes; its inputs are unchanged. */
function withOnly(relation: Relation, columns: ReadonlySet<Column>): Relation {
  const only = <T extends { readonly column: Column }>(list: readonly T[]): readonly T[] => {
    const kept = list.filter(({ column }) => columns.has(column));
    return kept.length === list.length ? list : kept;
  };
  switch (relation.kind) {
    case 'project': {
      const items = only(relation.items);
      return items === relation.items ? relation : { ...relation, items };
    }
    case 'aggregate': {
      const aggregates = only(relation.aggregates);
      return aggregates === relation.aggregates ? relation : { ...relation, aggregates };
    }
    case 'window': {
      const calls = only(relation.calls);
      return calls === relation.calls ? relation : { ...relation, calls };
    }
    default:
      return relation;
  }
}

function keepOnly(root: Relation, columns: ReadonlySet<Column>): Relation {
  const isRead = (column: Column | undefined): boolean => column !== undefined && columns.has(column);
  const withColumns = (table: WithTable): WithTable => {
    const kept = table.columns.filter(isRead);
    return kept.length === table.columns.length ? table : { ...table, columns: kept };
  };
  const mapper: Mapper = {
    expr: (expr) => mapExpr(expr, mapper),
    relation: (relation) => {
      const kept = withOnly(relation, columns);
      if (kept.kind === 'window' && kept.calls.length === 0) return mapper.relation(kept.input);
      if (kept.kind === 'with') return mapRelation({ ...kept, tables: kept.tables.map(withColumns) }, mapper);
      if (kept.kind !== 'withReference') return mapRelation(kept, mapper);
      const table = withColumns(kept.table);
      if (table === kept.table) return kept;
      return { ...kept, table, columns: kept.columns.filter((_, i) => isRead(kept.table.columns[i])) };
    },
  };
  return mapper.relation(root);
}
