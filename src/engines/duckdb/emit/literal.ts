import { assertNever } from '../../../core/assertNever.ts';
import type { LiteralValue } from '../../../googlesql/resolve/tree.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import { quoteText } from '../sqlText.ts';

export { quoteText };

/** The DuckDB type for values of a GoogleSQL type. */
export function duckType(type: SqlType): string {
  switch (type.kind) {
    case 'INT64':
      return 'BIGINT';
    case 'FLOAT64':
      return 'DOUBLE';
    case 'BOOL':
      return 'BOOLEAN';
    case 'STRING':
      return 'VARCHAR';
    case 'BYTES':
      return 'BLOB';
    case 'TIMESTAMP':
    case 'DATETIME':
      return 'TIMESTAMP';
    case 'DATE':
      return 'DATE';
    case 'TIME':
      return 'TIME';
    case 'INTERVAL':
      return 'INTERVAL';
    case 'JSON':
      return 'JSON';
    case 'NULL':
      return 'VARCHAR';
    case 'ARRAY':
      return `${duckType(type.element)}[]`;
    case 'STRUCT':
      return `STRUCT(${type.fields.map((field, i) => `f${i} ${duckType(field.type)}`).join(', ')})`;
    default:
      return assertNever(type);
  }
}

/** Writes a literal of the resolved tree as DuckDB SQL that needs no parentheses. */
export function emitLiteral(type: SqlType, value: LiteralValue): string {
  if (value === null) return `CAST(NULL AS ${duckType(type)})`;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number') return emitDouble(value);
  if (typeof value === 'bigint') return emitInteger(type, String(unitsOf(type, value)));
  if (typeof value === 'string') return type.kind === 'JSON' ? `CAST(${quoteText(value)} AS JSON)` : quoteText(value);
  return `from_hex('${Buffer.from(value).toString('hex')}')`;
}

function emitDouble(value: number): string {
  if (Number.isNaN(value)) return "CAST('nan' AS DOUBLE)";
  if (!Number.isFinite(value)) return `CAST('${value > 0 ? '' : '-'}inf' AS DOUBLE)`;
  return `CAST('${Object.is(value, -0) ? '-0.0' : value}' AS DOUBLE)`;
}

/** The whole number to write for a value: dates are written as microseconds. */
export const unitsOf = (type: SqlType, value: bigint): bigint =>
  type.kind === 'DATE' ? value * 86_400_000_000n : value;

/** Writes a whole number, or a time, from its digits (`unitsOf`) or from a placeholder for them. */
export function emitInteger(type: SqlType, digits: string): string {
  switch (type.kind) {
    case 'TIMESTAMP':
    case 'DATETIME':
      return `make_timestamp(${digits})`;
    case 'DATE':
      return `CAST(make_timestamp(CAST('${digits}' AS BIGINT)) AS DATE)`;
    case 'TIME':
      return `CAST(make_timestamp(CAST('${digits}' AS BIGINT)) AS TIME)`;
    case 'FLOAT64':
      return `CAST('${digits}' AS DOUBLE)`;
    default:
      return `CAST('${digits}' AS BIGINT)`;
  }
}
