import type { CallExpr, CastExpr, ColumnExpr, Expr } from '../resolve/tree.ts';
import type { SqlType } from '../types.ts';

/** Where a cast of the nested value is one of what the typed column holds. */
type Reading = 'value' | 'cast';

/**
 * By what the column holds and what it is cast to. A JSON number that is very small is written otherwise than a
 * FLOAT64.
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
 * CAST of the JSON of a typed column, without the JSON; null where it says something else. `read` gives the column's
 * value as what its place asks for.
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

/** Functions that read a JSON scalar as SAFE_CAST does where a column holds one of these. */
const castingFunctions: Readonly<Record<string, readonly SqlType['kind'][]>> = {
  json_value: ['STRING', 'INT64'],
  json_extract_scalar: ['STRING', 'INT64'],
  lax_string: ['STRING', 'INT64'],
  int64: ['INT64'],
  lax_int64: ['INT64', 'FLOAT64'],
  float64: ['INT64', 'FLOAT64'],
  lax_float64: ['STRING', 'INT64', 'FLOAT64'],
};

/** A call that reads the JSON of a typed column as SAFE_CAST would; null where it reads it otherwise, or a part of it. */
export function castOfCall(call: CallExpr, column: ColumnExpr): CastExpr | null {
  const [value, path] = call.args;
  if (value === undefined || value.kind === 'part' || castingFunctions[call.fn]?.includes(column.type.kind) !== true)
    return null;
  if (path !== undefined && !(path.kind === 'literal' && path.value === '$')) return null;
  return { kind: 'cast', type: call.type, value, safe: true, pos: call.pos, label: '' };
}
