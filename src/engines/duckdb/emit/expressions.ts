import { assertNever } from '../../../core/assertNever.ts';
import { isLateBound } from '../../../googlesql/plan/lateBoundTimes.ts';
import { readsOutside } from '../../../googlesql/resolve/readsOutside.ts';
import type { Expr, LiteralExpr, Relation, SubqueryExpr } from '../../../googlesql/resolve/tree.ts';
import type { Position } from '../../../googlesql/syntax/nodes.ts';
import { namedField } from '../functions/sqlFragments.ts';
import { emitCall } from './calls.ts';
import { emitCast } from './cast.ts';
import { Emission } from './emission.ts';
import { convertTyped, readMember } from './jsonRead.ts';
import { duckType, emitInteger, emitLiteral, quoteText, unitsOf } from './literal.ts';
import { selectText } from './selectText.ts';
import { emitSortKeys } from './sortKeys.ts';

/** Writes an expression as DuckDB SQL that is valid in any place without parentheses. */
export function emitExpr(expr: Expr, emission: Emission): string {
  switch (expr.kind) {
    case 'literal':
      return isLateBound(expr) ? emitMoving(expr, emission) : emitLiteral(expr.type, expr.value);
    case 'column':
      return emission.name(expr.column);
    case 'pathRead':
      if (expr.base.type.kind !== 'JSON')
        return `(${convertTyped(expr.base.type, emission.expr(expr.base), expr.wanted)})`;
      return `(${readMember(emission.expr(expr.base), expr.path, expr.wanted, true)})`;
    case 'call':
      return `(${emitCall(expr, emission)})`;
    case 'cast':
      return `(${emitCast(expr, emission.expr(expr.value))})`;
    case 'case': {
      const branches = expr.branches.map(
        (branch) => `WHEN ${emission.expr(branch.when)} THEN ${emission.expr(branch.value)}`,
      );
      const otherwise = expr.otherwise === null ? '' : ` ELSE ${emission.expr(expr.otherwise)}`;
      return `(CASE ${branches.join(' ')}${otherwise} END)`;
    }
    case 'subquery':
      return emission.inSubquery(isCorrelated(expr.query, emission), () => emitSubquery(expr, emission));
    case 'inSubquery': {
      const value = emission.expr(expr.value);
      const block = emission.inSubquery(isCorrelated(expr.query, emission), () => emission.relation(expr.query));
      const name = emission.name(expr.column);
      const rows = selectText(block, [{ column: expr.column, sql: name }], '');
      if (expr.column.type.kind !== 'FLOAT64') return `(${value} IN (${rows}))`;
      // NaN equals nothing, not even itself, but the engine says it does. As texts the two can differ; adding 0 turns
      // -0 into 0.
      const column = Emission.columnAlias(expr.column);
      const texts = `SELECT CAST(${column} + 0 AS VARCHAR) FROM (${rows}) AS candidates`;
      return `(replace(CAST(${value} + 0 AS VARCHAR), 'nan', 'no number') IN (${texts}))`;
    }
    case 'array':
      return `CAST([${expr.elements.map((element) => emission.expr(element)).join(', ')}] AS ${duckType(expr.type)})`;
    case 'struct': {
      if (expr.type.kind !== 'STRUCT') throw new Error('a struct node without a STRUCT type');
      const fields = expr.values.map((value, i) => namedField(`f${i}`, emission.expr(value)));
      return `struct_pack(${fields.join(', ')})`;
    }
    case 'structField':
      return `struct_extract(${emission.expr(expr.value)}, 'f${expr.index}')`;
    case 'parameter':
    case 'now':
      throw new Error(`a ${expr.kind} was not bound before emission`);
    default:
      return assertNever(expr);
  }
}

/** A late-bound time. It is read when the statement is filled. */
const emitMoving = (expr: LiteralExpr, { slots }: Emission): string =>
  emitInteger(
    expr.type,
    slots.markOf(expr, () => unitsOf(expr.type, expr.value as bigint)),
  );

const isCorrelated = (query: Relation, emission: Emission): boolean =>
  readsOutside(query, (scan) => emission.scanColumns(scan));

function emitSubquery(expr: SubqueryExpr, emission: Emission): string {
  if (expr.mode === 'exists') {
    const block = emission.relation(expr.query);
    return `(EXISTS (${selectText(block, [], '')}))`;
  }
  const column = expr.column;
  if (column === null) throw new Error('a subquery that gives values has no column');
  if (expr.mode === 'array' && expr.query.kind === 'sort') {
    const block = emission.relation(expr.query.input);
    const order = emitSortKeys(expr.query.keys, emission);
    return `ARRAY(${selectText(block, [{ column, sql: emission.name(column) }], `ORDER BY ${order}`)})`;
  }
  const block = emission.relation(expr.query);
  const text = selectText(block, [{ column, sql: emission.name(column) }], '');
  if (expr.mode === 'array') return `ARRAY(${text})`;
  return isOneRow(expr.query) ? `(${text})` : `(${onlyRow(text, Emission.columnAlias(column), expr.pos)})`;
}

/** The value of the only row; NULL without a row; several rows are an error with its position. */
function onlyRow(rows: string, column: string, { line, column: at }: Position): string {
  const sentence = 'This subquery returns several rows, but one value is needed; add LIMIT 1 or an aggregate';
  const refusal = `error(${quoteText(`logmill:${line}:${at}:${sentence}`)})`;
  return `SELECT CASE WHEN count(*) > 1 THEN ${refusal} ELSE any_value(found.${column}) END FROM (${rows}) AS found`;
}

/** Whether the relation can never have more than one row. */
function isOneRow(relation: Relation): boolean {
  switch (relation.kind) {
    case 'oneRow':
      return true;
    case 'aggregate':
      return relation.keys.length === 0;
    case 'limit':
      return (relation.limit?.kind === 'literal' && Number(relation.limit.value) <= 1) || isOneRow(relation.input);
    case 'filter':
    case 'project':
    case 'window':
    case 'distinct':
    case 'sort':
      return isOneRow(relation.input);
    case 'with':
      return isOneRow(relation.body);
    default:
      return false;
  }
}
