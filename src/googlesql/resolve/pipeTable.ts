import type { ResolvedSubquery } from './context.ts';
import { exprKey } from './exprKey.ts';
import type { NamedColumn, RangeTable, RangeVariable } from './nameScope.ts';
import { columnExpr } from './names.ts';
import type { ResolveSession } from './session.ts';
import { type Mapper, mapExpr, mapRelation, outputColumns } from './traverse.ts';
import type { Column, Computed, Expr, Relation, SortKey } from './tree.ts';
import { variableOf } from './variables.ts';

/** The input and output of a pipe operator: rows, the names for their columns, and the requested order. */
export interface PipeTable extends RangeTable {
  /** The sort keys of an earlier ORDER BY, kept as long as operators do not combine rows. */
  readonly order: readonly SortKey[];
  /** Whether the relation is already in that order, because a LIMIT applied it. */
  readonly isSorted: boolean;
}

/** The result of a query as a table without an alias. */
export function pipeTableOf(query: ResolvedSubquery, session: ResolveSession): PipeTable {
  const { relation } = query;
  const variables = [variableOf(query, null, session)];
  if (relation.kind === 'sort') {
    return { relation: relation.input, variables, order: relation.keys, isSorted: false };
  }
  const isSorted = relation.kind === 'limit' && relation.input.kind === 'sort';
  return { relation, variables, order: isSorted ? relation.input.keys : [], isSorted };
}

/** The table as a query, with its rows in the requested order. */
export function queryOf(table: PipeTable, session: ResolveSession): ResolvedSubquery {
  const named = withColumns(table, session);
  return {
    relation: sorted(named),
    outputs: named.columns.map(({ name, column }) => ({ name, column })),
  };
}

export function sorted(table: PipeTable): Relation {
  if (table.order.length === 0 || table.isSorted) return table.relation;
  return { kind: 'sort', input: table.relation, keys: table.order };
}

/** The columns that `SELECT *` would list, except that an unnested value is one column (GoogleSQL, "FROM queries"). */
export function listedColumns(variables: readonly RangeVariable[]): readonly NamedColumn[] {
  return variables
    .filter((variable) => variable.reach !== 'qualified')
    .flatMap((variable) =>
      variable.kind === 'table' ? variable.columns : [{ name: variable.name ?? '', expr: columnExpr(variable.column) }],
    );
}

/** The table with a column of its relation for every listed one; those of USING may need computing. */
function withColumns(table: PipeTable, session: ResolveSession) {
  const listed = listedColumns(table.variables);
  const computed = new Map<Expr, Column>();
  for (const { name, expr } of listed) {
    if (expr.kind !== 'column') computed.set(expr, session.columnFor(name, expr));
  }
  if (computed.size === 0) {
    const columns = listed.flatMap(({ name, expr }) => (expr.kind === 'column' ? [{ name, column: expr.column }] : []));
    return { ...table, columns };
  }
  const carried = carry(
    table,
    [...computed].map(([expr, column]) => ({ column, expr })),
    session,
  );
  const columns = listed.map(({ name, expr }) => ({
    name,
    column: computed.get(expr) ?? carried.columnOf(expr),
  }));
  return { ...carried.table, columns };
}

/** Adds columns computed from each row; they have no names yet. */
export function withComputed(table: PipeTable, added: readonly Computed[], session: ResolveSession): PipeTable {
  return added.length === 0 ? table : carry(table, added, session).table;
}

/** Projects the table. A projection passes nothing through, so every column that a name or sort key refers to gets a new one. */
function carry(table: PipeTable, added: readonly Computed[], session: ResolveSession) {
  const produced = new Set(outputColumns(table.relation));
  const fresh = new Map<Column, Column>();
  const renew = (column: Column): Column => {
    if (!produced.has(column)) return column;
    const known = fresh.get(column);
    if (known !== undefined) return known;
    const made = session.columnFor(column.name, columnExpr(column));
    fresh.set(column, made);
    return made;
  };
  const mapper: Mapper = {
    relation: (relation) => mapRelation(relation, mapper),
    expr: (expr) => (expr.kind === 'column' ? columnExpr(renew(expr.column)) : mapExpr(expr, mapper)),
  };
  const variables = table.variables.map((variable): RangeVariable => {
    if (variable.kind !== 'table') return { ...variable, column: renew(variable.column) };
    const columns = variable.columns.map(({ name, expr }) => ({ name, expr: mapper.expr(expr) }));
    return { ...variable, columns };
  });
  const order = table.order.map((key) => ({ ...key, expr: mapper.expr(key.expr) }));
  const items: readonly Computed[] = [
    ...[...fresh].map(([from, column]) => ({ column, expr: columnExpr(from) })),
    ...added,
  ];
  const carried: PipeTable = {
    relation: { kind: 'project', input: table.relation, items },
    variables,
    order,
    isSorted: false,
  };
  const columnOf = (expr: Expr): Column => {
    const column = expr.kind === 'column' ? (fresh.get(expr.column) ?? expr.column) : undefined;
    if (column === undefined) throw new Error('a listed column has no column in the relation');
    return column;
  };
  return { table: carried, columnOf };
}

/** Returns the columns that replace a column, or undefined to keep it. */
export type ColumnChange = (name: string) => readonly NamedColumn[] | undefined;

/**
 * Replaces listed columns. Qualified with the table alias, a column keeps its old value; an unnested value is its own
 * alias and is replaced too (GoogleSQL, pipe SET, DROP and RENAME).
 */
export function changeColumns(variables: readonly RangeVariable[], change: ColumnChange): readonly RangeVariable[] {
  return variables.flatMap((variable): readonly RangeVariable[] => {
    if (variable.reach === 'qualified') return [variable];
    if (variable.kind !== 'table') {
      const columns = change(variable.name ?? '');
      return columns === undefined ? [variable] : [{ kind: 'table', name: null, columns }];
    }
    if (variable.columns.every(({ name }) => change(name) === undefined)) return [variable];
    const columns = variable.columns.flatMap((column) => change(column.name) ?? [column]);
    const bare: RangeVariable = { kind: 'table', name: variable.name, columns, reach: 'bare' };
    return variable.reach === 'bare' || variable.name === null ? [bare] : [{ ...variable, reach: 'qualified' }, bare];
  });
}

/** Removes the aliases that a new column hides. */
export function withoutAliases(
  variables: readonly RangeVariable[],
  taken: readonly string[],
): readonly RangeVariable[] {
  const names = new Set(taken.map((name) => name.toLowerCase()));
  return variables.flatMap((variable): readonly RangeVariable[] => {
    const { name } = variable;
    if (name === null || variable.reach === 'bare' || !names.has(name.toLowerCase())) return [variable];
    if (variable.reach === 'qualified') return [];
    return [{ ...variable, name: null }];
  });
}

/** The distinct rows of the listed columns. An alias keeps only its listed columns. */
export function distinctRows(table: PipeTable, session: ResolveSession): PipeTable {
  const items = listedColumns(table.variables).map(({ name, expr }) => ({
    column: session.columnFor(name, expr),
    expr,
  }));
  const byKey = new Map(items.map(({ column, expr }) => [exprKey(expr), column]));
  const variables = table.variables.flatMap((variable): readonly RangeVariable[] => {
    if (variable.kind !== 'table') {
      const column = byKey.get(exprKey(columnExpr(variable.column)));
      return column === undefined ? [] : [{ ...variable, column }];
    }
    const columns = variable.columns.flatMap(({ name, expr }) => {
      const column = byKey.get(exprKey(expr));
      return column === undefined ? [] : [{ name, expr: columnExpr(column) }];
    });
    return [{ ...variable, columns }];
  });
  const relation: Relation = { kind: 'distinct', input: { kind: 'project', input: table.relation, items } };
  return { relation, variables, order: [], isSorted: false };
}
