import type { Position } from '../syntax/nodes.ts';
import { FLOAT64, JSON_TYPE, type SqlType } from '../types.ts';
import { coerce } from './coercion.ts';
import type { Expr } from './tree.ts';

/** Reads a JSON value as an array whose elements have the type of the operand that they are compared with. */
export function asArray(value: Expr, operand: SqlType, pos: Position): Expr {
  if (value.type.kind !== 'JSON') return value;
  const element = operand.kind === 'INT64' ? FLOAT64 : operand.kind === 'NULL' ? JSON_TYPE : operand;
  return coerce(value, { kind: 'ARRAY', element }, pos);
}
