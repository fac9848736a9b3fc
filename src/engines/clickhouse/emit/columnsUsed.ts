import { type Mapper, mapExpr, mapRelation, outputColumns } from '../../../googlesql/resolve/traverse.ts';
import type { Column, Expr, Relation } from '../../../googlesql/resolve/tree.ts';

/** The columns that an expression reads, also in its subqueries. */
export function columnsUsed(expr: Expr): ReadonlySet<Column> {
  const walk = new UsedColumns(null);
  walk.mapper.expr(expr);
  return walk.found;
}

/** The columns that a query reads outside of one part. */
export function columnsUsedOutside(root: Relation, part: Relation, outputs: readonly Expr[]): ReadonlySet<Column> {
  const walk = new UsedColumns(part);
  walk.mapper.relation(root);
  for (const output of outputs) walk.mapper.expr(output);
  return walk.found;
}

class UsedColumns {
  readonly found = new Set<Column>();
  readonly mapper: Mapper;

  constructor(part: Relation | null) {
    const { found } = this;
    const mapper: Mapper = {
      relation: (relation) => {
        if (relation === part) return relation;
        if (relation.kind === 'setOperation') for (const { columns } of relation.inputs) add(found, columns);
        if (relation.kind === 'with') for (const { columns } of relation.tables) add(found, columns);
        if (relation.kind === 'distinct') add(found, outputColumns(relation.input));
        return mapRelation(relation, mapper);
      },
      expr: (expr) => {
        if (expr.kind === 'column') found.add(expr.column);
        if ((expr.kind === 'subquery' || expr.kind === 'inSubquery') && expr.column !== null) found.add(expr.column);
        return mapExpr(expr, mapper);
      },
    };
    this.mapper = mapper;
  }
}

function add(found: Set<Column>, columns: readonly Column[]): void {
  for (const column of columns) found.add(column);
}
