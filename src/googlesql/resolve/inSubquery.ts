import type { FunctionName } from '../functions/catalogue.ts';
import type { Position } from '../syntax/nodes.ts';
import { BOOL, INT64, type SqlType, STRING, typeName } from '../types.ts';
import { coerce, commonType } from './coercion.ts';
import { resolveComparison } from './comparisons.ts';
import { columnExpr } from './names.ts';
import type { ResolveSession } from './session.ts';
import { sqlError } from './sqlError.ts';
import type { AggregateCall, Column, Expr, Relation } from './tree.ts';

/** A subquery of one column. */
interface ColumnQuery {
  readonly relation: Relation;
  readonly column: Column;
}

/** Resolves `x IN (SELECT …)`: equality with one of the values, in three-valued logic. */
export function resolveInSubquery(operand: Expr, query: ColumnQuery, pos: Position, session: ResolveSession): Expr {
  const column = columnExpr(query.column);
  if (operand.type.kind === 'STRUCT' || column.type.kind === 'STRUCT') {
    return anyTrue(resolveComparison('$eq', operand, column, pos, session), query.relation, pos, session);
  }
  const common = commonType([operand, column]);
  // Two nested values are compared by their text, in which each number has only one spelling.
  const type = common?.kind === 'JSON' ? STRING : common;
  if (type === null) {
    throw sqlError('sql.type', `IN cannot compare ${typeName(operand.type)} with ${typeName(column.type)}`, pos);
  }
  const converted = session.columnFor(query.column.name, coerce(column, type, pos));
  return {
    kind: 'inSubquery',
    type: BOOL,
    value: coerce(operand, type, pos),
    query: { kind: 'project', input: query.relation, items: [{ column: converted, expr: coerce(column, type, pos) }] },
    column: converted,
    pos,
  };
}

/**
 * Whether a condition holds for one of the rows; NULL if it holds for none and is NULL for one. The engine's own IN
 * cannot be used: it compares STRUCTs as a whole, so that a NULL or NaN inside equals itself.
 */
function anyTrue(condition: Expr, rows: Relation, pos: Position, session: ResolveSession): Expr {
  const held = session.newColumn('held', BOOL);
  const isNull: Expr = { kind: 'call', type: BOOL, fn: '$is_null', args: [columnExpr(held)], safe: false, pos };
  const any = aggregate('logical_or', columnExpr(held), BOOL);
  const unknown = aggregate('countif', isNull, INT64);
  const found = session.newColumn('found', BOOL);
  const hasUnknown: Expr = {
    kind: 'call',
    type: BOOL,
    fn: '$gt',
    args: [columnExpr(unknown.column), { kind: 'literal', type: INT64, value: 0n }],
    safe: false,
    pos,
  };
  const answer: Expr = {
    kind: 'case',
    type: BOOL,
    branches: [
      { when: columnExpr(any.column), value: { kind: 'literal', type: BOOL, value: true } },
      { when: hasUnknown, value: { kind: 'literal', type: BOOL, value: null } },
    ],
    otherwise: { kind: 'literal', type: BOOL, value: false },
  };
  const input: Relation = { kind: 'project', input: rows, items: [{ column: held, expr: condition }] };
  const counted: Relation = { kind: 'aggregate', input, keys: [], rollup: false, aggregates: [any, unknown] };
  const query: Relation = { kind: 'project', input: counted, items: [{ column: found, expr: answer }] };
  return { kind: 'subquery', mode: 'scalar', type: BOOL, query, column: found, pos };

  function aggregate(fn: FunctionName, arg: Expr, type: SqlType): AggregateCall {
    const modifiers = { distinct: false, nulls: null, orderBy: [], limit: null };
    return { column: session.newColumn(fn, type), fn, args: [arg], modifiers, pos };
  }
}
