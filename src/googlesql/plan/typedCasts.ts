import type { CallExpr, CastExpr, ColumnExpr, Expr } from '../resolve/tree.ts';
import type { SqlType } from '../types.ts';

/** How a cast of a nested value is done on its typed column: by the value itself, or by a cast of it. */
type Reading = 'value' | 'cast';

/**
 * By the type of the column and the target type. FLOAT64 to STRING is missing, because JSON writes very small numbers
 * differently.
 */
const readings: Readonly<Record<string, Readonly<Partial<Record<SqlType['kind'], Reading>>>>> = {
  STRING: {
    STRING: 'value',
    INT64: 'cast',
    FLOAT64: 'cast',
    BOOL: 'cast',
    TIMESTAMP: 'cast',
    DATETIME: 'cast',
    DATE: 'cast',
    TIME: 'cast',
  },
  INT64: { INT64: 'value', FLOAT64: 'value', STRING: 'value', BOOL: 'cast' },
  FLOAT64: { FLOAT64: 'value', INT64: 'cast' },
};

/**
 * CAST of a typed column without converting it to JSON; null if the result would differ. `read` reads the column as a type.
 */
export function castOfTyped(
  cast: CastExpr,
  column: ColumnExpr,
  read: (column: ColumnExpr, wanted: 'INT64' | 'FLOAT64' | 'STRING') => Expr,
): Expr | null {
  const { kind } = cast.type;
  const reading = readings[column.type.kind]?.[kind];
  if (reading === 'cast') return { ...cast, value: column };
  if (reading === 'value' && (kind === 'INT64' || kind === 'FLOAT64' || kind === 'STRING')) return read(column, kind);
  return null;
}

/** Functions that equal SAFE_CAST for typed columns of these types. */
const castingFunctions: Readonly<Record<string, readonly SqlType['kind'][]>> = {
  json_value: ['STRING', 'INT64'],
  json_extract_scalar: ['STRING', 'INT64'],
  lax_string: ['STRING', 'INT64'],
  int64: ['INT64'],
  lax_int64: ['INT64', 'FLOAT64'],
  float64: ['INT64', 'FLOAT64'],
  lax_float64: ['STRING', 'INT64', 'FLOAT64'],
};

/** A call on a typed column as the equivalent SAFE_CAST; null if it differs, or reads a part of the value. */
export function castOfCall(call: CallExpr, column: ColumnExpr): CastExpr | null {
  const [value, path] = call.args;
  if (value === undefined || value.kind === 'part' || castingFunctions[call.fn]?.includes(column.type.kind) !== true)
    return null;
  if (path !== undefined && !(path.kind === 'literal' && path.value === '$')) return null;
  return { kind: 'cast', type: call.type, value, safe: true, pos: call.pos, label: '' };
}
