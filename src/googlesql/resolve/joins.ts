import type { Identifier, Join, Position } from '../syntax/nodes.ts';
import { BOOL } from '../types.ts';
import { coerce, commonType } from './coercion.ts';
import type { ExpressionContext } from './context.ts';
import { condition } from './expressions.ts';
import { holdsSubquery } from './holdsSubquery.ts';
import { named } from './named.ts';
import { type NamedColumn, NameScope, type RangeTable, type RangeVariable, type TableVariable } from './nameScope.ts';
import { columnExpr, fieldsOf, findName, quote } from './names.ts';
import { sqlError } from './sqlError.ts';
import { walkRelation } from './traverse.ts';
import type { Expr, JoinRelation, Relation } from './tree.ts';

/** The cross join of two relations. */
export function crossJoin(left: Relation, right: Relation, pos: Position): JoinRelation {
  return { kind: 'join', type: 'inner', left, right, on: null, pos };
}

/** Joins two tables with ON, USING or neither. Throws `sql.*` at the condition. */
export function joinTables(
  left: RangeTable,
  right: RangeTable,
  join: Pick<Join, 'type' | 'on' | 'using' | 'pos'>,
  context: ExpressionContext,
): RangeTable {
  if (join.type === 'cross' || join.type === 'comma') {
    return {
      relation: crossJoin(left.relation, right.relation, join.pos),
      variables: [...left.variables, ...right.variables],
    };
  }
  const relation = (on: Expr): JoinRelation => ({
    kind: 'join',
    type: join.type as JoinRelation['type'],
    left: left.relation,
    right: right.relation,
    on,
    pos: join.pos,
  });
  if (join.using.length > 0) {
    context.session.addColumns(join.using.length);
    const { on, variables } = using(left, right, join);
    return { relation: relation(on), variables };
  }
  if (join.on === undefined) {
    throw sqlError('sql.syntax', `${join.type.toUpperCase()} JOIN requires ON or USING`, join.pos, { expected: 'ON' });
  }
  const variables = [...left.variables, ...right.variables];
  const scope = new NameScope(context.scope, variables);
  const on = condition(join.on, { ...context, scope, clause: 'ON', aggregates: null, windows: null });
  if (join.type === 'full' && holdsSubquery(on) && [left, right].some((side) => holdsSuchJoin(side.relation))) {
    const sentence =
      'A FULL JOIN with a subquery in its ON cannot join the result of another one; compute one of them in a grouped WITH table';
    throw sqlError('sql.too_complex', sentence, join.on.pos);
  }
  return { relation: relation(on), variables };
}

/** Whether the relation contains a FULL JOIN with a subquery in its ON. Each writes its sides twice, so nesting grows exponentially. */
function holdsSuchJoin(relation: Relation): boolean {
  let found = false;
  walkRelation(relation, {
    relation: (below) => {
      if (below.kind === 'join' && below.type === 'full' && below.on !== null) found ||= holdsSubquery(below.on);
      if (below.kind === 'withReference') found ||= holdsSuchJoin(below.table.relation);
    },
  });
  return found;
}

/**
 * USING: the named columns of both sides must be equal. Unqualified, they are one column, which comes first (GoogleSQL,
 * "USING clause"); qualified with a table alias, they keep their own values.
 */
function using(
  left: RangeTable,
  right: RangeTable,
  join: Pick<Join, 'type' | 'using' | 'pos'>,
): { on: Expr; variables: readonly RangeVariable[] } {
  const conditions: Expr[] = [];
  const merged: NamedColumn[] = [];
  const seen = new Set<string>();
  for (const name of join.using) {
    const key = name.name.toLowerCase();
    if (seen.has(key)) continue;
    seen.add(key);
    const l = sideColumn(name, left);
    const r = sideColumn(name, right);
    const common = commonType([l, r]);
    if (common === null)
      throw sqlError('sql.type', `The columns ${quote(name.name)} of the two sides cannot be compared`, name.pos);
    const [a, b] = [coerce(l, common, name.pos), coerce(r, common, name.pos)];
    conditions.push({ kind: 'call', type: BOOL, fn: '$eq', args: [a, b], safe: false, pos: name.pos });
    const both: Expr = { kind: 'call', type: common, fn: 'coalesce', args: [a, b], safe: false, pos: name.pos };
    merged.push({ name: name.name, expr: join.type === 'full' ? both : join.type === 'right' ? b : a });
  }
  const [only] = conditions;
  const on: Expr =
    conditions.length === 1 && only !== undefined
      ? only
      : { kind: 'call', type: BOOL, fn: '$and', args: conditions, safe: false, pos: join.pos };
  const sides = [...left.variables, ...right.variables].flatMap((variable) => withoutBare(variable, merged));
  return { on, variables: [{ kind: 'table', name: null, columns: merged, reach: 'bare' }, ...sides] };
}

/** The variable, with these columns reachable only by its alias. */
function withoutBare(variable: RangeVariable, names: readonly NamedColumn[]): readonly RangeVariable[] {
  const isNamed = (name: string): boolean => named(names, name).length > 0;
  // A column takes precedence over a member of an unnested object in any case.
  if (variable.kind === 'record' || variable.reach === 'qualified') return [variable];
  if (variable.kind === 'value' && variable.name !== null && isNamed(variable.name)) return [];
  const columns = variable.kind === 'table' ? variable.columns : fieldsOf(columnExpr(variable.column));
  if (!columns.some(({ name }) => isNamed(name))) return [variable];
  const kept = columns.filter(({ name }) => !isNamed(name));
  const bare: TableVariable = { kind: 'table', name: variable.name, columns: kept, reach: 'bare' };
  return variable.reach === 'bare' || variable.name === null ? [bare] : [{ ...variable, reach: 'qualified' }, bare];
}

function sideColumn(name: Identifier, side: RangeTable): Expr {
  const meaning = findName(name, new NameScope(null, side.variables));
  if (meaning?.kind === 'value') return meaning.expr;
  throw sqlError('sql.unknown_name', `USING requires the column ${quote(name.name)} on both sides`, name.pos, {
    token: name.name,
    allowed: side.variables.flatMap((variable) =>
      variable.kind === 'table' ? variable.columns.map((c) => c.name) : [],
    ),
  });
}
