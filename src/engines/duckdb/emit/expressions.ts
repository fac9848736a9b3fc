import { assertNever } from '../../../core/assertNever.ts';
import type { Expr, SubqueryExpr } from '../../../googlesql/resolve/tree.ts';
import { emitCall } from './calls.ts';
import { emitCast } from './cast.ts';
import type { Emission } from './emission.ts';
import { convertTyped, readMember } from './jsonRead.ts';
import { duckType, emitLiteral } from './literal.ts';
import { selectText } from './selectText.ts';
import { emitSortKeys } from './sortKeys.ts';

/** An expression as DuckDB SQL that stands in any place without parentheses around it. */
export function emitExpr(expr: Expr, emission: Emission): string {
  switch (expr.kind) {
    case 'literal':
      return emitLiteral(expr.type, expr.value);
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
      return emitSubquery(expr, emission);
    case 'inSubquery': {
      const value = emission.expr(expr.value);
      const block = emission.relation(expr.query);
      const items = [{ column: expr.column, sql: emission.name(expr.column) }];
      return `(${value} IN (${selectText(block, items, '')}))`;
    }
    case 'array':
      return `CAST([${expr.elements.map((element) => emission.expr(element)).join(', ')}] AS ${duckType(expr.type)})`;
    case 'struct': {
      if (expr.type.kind !== 'STRUCT') throw new Error('a struct node without a STRUCT type');
      const fields = expr.values.map((value, i) => `f${i} := ${emission.expr(value)}`);
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
  return expr.mode === 'array' ? `ARRAY(${text})` : `(${text})`;
}
