import type { LiteralValue } from '../../../googlesql/resolve/tree.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import { quoteText } from '../sqlText.ts';
import { notPushed } from './notPushed.ts';

/** The type of ClickHouse for values of a GoogleSQL type in expressions; times are whole numbers (`ValueCell`). */
export function engineType(type: SqlType): string {
  switch (type.kind) {
    case 'INT64':
    case 'TIMESTAMP':
    case 'DATETIME':
    case 'DATE':
    case 'TIME':
      return 'Int64';
    case 'FLOAT64':
      return 'Float64';
    case 'BOOL':
      return 'Bool';
    case 'STRING':
      return 'String';
    default:
      return notPushed(`a value of type ${type.kind}`);
  }
}

/** A literal, with exactly the type of `engineType`. */
export function emitLiteral(type: SqlType, value: LiteralValue): string {
  const engine = engineType(type);
  if (value === null) return `CAST(NULL, 'Nullable(${engine})')`;
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return engine === 'Float64' ? emitDouble(Number(value)) : emitInteger(value);
    case 'number':
      return emitDouble(value);
    case 'string':
      return emitText(value);
    default:
      return notPushed('a literal of type BYTES');
  }
}

export function emitInteger(value: bigint): string {
  return `toInt64(${value})`;
}

/** By its bits, unless it is a whole number: ClickHouse reads some decimals to the wrong neighbour. */
function emitDouble(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '(-inf)';
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return `toFloat64(${value})`;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  return `reinterpretAsFloat64(toUInt64(${bits.getBigUint64(0)}))`;
}

function emitText(text: string): string {
  if (!text.isWellFormed()) notPushed('text with a lone surrogate');
  return quoteText(text);
}
