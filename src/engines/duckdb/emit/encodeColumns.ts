import { assertNever } from '../../../core/assertNever.ts';
import { type EncodedColumn, encodeKnown, scalarOf } from './encodeRow.ts';

/**
 * Writes the items of a select list whose columns have the layouts of ports/columnFrame.ts, and the values that a reader of
 * the row's JSON in the profile `plain` gets. A column must not be an ARRAY or STRUCT.
 */
export function encodeColumns(columns: readonly EncodedColumn[]): string {
  return columns.map((column, i) => `${itemOf(column)} AS c${i}`).join(', ');
}

function itemOf({ sql, type, isJson }: EncodedColumn): string {
  // The text of a value that is known to have another type, too; JSON has one NULL.
  if (isJson) return `nullif(${encodeKnown(sql, type, 'plain', 0)}, 'null')`;
  switch (type.kind) {
    case 'FLOAT64':
      // JSON has no negative zero.
      return `CAST(${sql} AS DOUBLE) + CAST(0 AS DOUBLE)`;
    case 'INT64':
      return `CAST(${sql} AS BIGINT)`;
    case 'BOOL':
      return `CAST(${sql} AS BOOLEAN)`;
    case 'TIMESTAMP':
    case 'DATETIME':
      return `epoch_us(${sql})`;
    case 'DATE':
      return `CAST(${sql} AS DATE)`;
    case 'TIME':
      return `CAST(${sql} AS TIME)`;
    case 'STRING':
      return `CAST(${sql} AS VARCHAR)`;
    case 'INTERVAL':
      return `CAST(${scalarOf(sql, type, 'plain')} AS VARCHAR)`;
    case 'BYTES':
      return `CAST(${sql} AS BLOB)`;
    case 'NULL':
      return 'CAST(NULL AS INTEGER)';
    case 'JSON':
    case 'ARRAY':
    case 'STRUCT':
      throw new Error(`a column of type ${type.kind} is handed over as JSON`);
    default:
      return assertNever(type);
  }
}
