import type { Position } from '../syntax/nodes.ts';
import { BOOL, FLOAT64, INT64, TIMESTAMP, typeName } from '../types.ts';
import { coerce, commonType, isTimeType } from './coercion.ts';
import { noteCutArguments } from './cutNanoseconds.ts';
import type { ResolveSession } from './session.ts';
import { sqlError } from './sqlError.ts';
import type { Expr } from './tree.ts';

export type ComparisonFunction = '$eq' | '$ne' | '$lt' | '$le' | '$gt' | '$ge' | '$is_distinct';

const int53Max = 9_007_199_254_740_991n;

/** Compares two values as their common type (googlesql.md, section 2, context typing). */
export function resolveComparison(
  fn: ComparisonFunction,
  left: Expr,
  right: Expr,
  pos: Position,
  session: ResolveSession,
): Expr {
  const [a, b] = withMicroseconds(left, right, session, pos);
  const type = commonType([a, b]);
  if (type === null || type.kind === 'ARRAY') {
    throw sqlError(
      'sql.type',
      `${typeName(a.type)} cannot be compared with ${typeName(b.type)}${adviceFor(a, b)}`,
      pos,
    );
  }
  if (type.kind === 'STRUCT') {
    if (fn === '$is_distinct') return compare(fn, coerce(a, type, pos), coerce(b, type, pos), pos);
    return compareStructs(fn, a, b, pos, session);
  }
  if (isTimeType(type)) noteCutArguments([a, b], pos, session);
  const exact = exactIntegerComparison(fn, a, b, pos);
  if (exact !== null) return exact;
  return compare(fn, coerce(a, type, pos), coerce(b, type, pos), pos);
}

function compare(fn: ComparisonFunction, left: Expr, right: Expr, pos: Position): Expr {
  return { kind: 'call', type: BOOL, fn, args: [left, right], safe: false, pos };
}

/**
 * Compares structs field by field, each pair with its own common type and in three-valued logic. Structs have no order
 * (GoogleSQL, "Comparison operators").
 */
function compareStructs(fn: ComparisonFunction, a: Expr, b: Expr, pos: Position, session: ResolveSession): Expr {
  if ((fn !== '$eq' && fn !== '$ne') || a.type.kind !== 'STRUCT') {
    throw sqlError('sql.type', 'STRUCT values have no order; compare them with = or !=', pos);
  }
  const fields = a.type.fields.map((_, i) => resolveComparison('$eq', fieldAt(a, i), fieldAt(b, i), pos, session));
  const [only] = fields;
  const equal: Expr =
    only !== undefined && fields.length === 1
      ? only
      : { kind: 'call', type: BOOL, fn: '$and', args: fields, safe: false, pos };
  return fn === '$eq' ? equal : { kind: 'call', type: BOOL, fn: '$not', args: [equal], safe: false, pos };
}

function fieldAt(struct: Expr, index: number): Expr {
  const value = struct.kind === 'struct' ? struct.values[index] : undefined;
  if (value !== undefined) return value;
  const type = struct.type.kind === 'STRUCT' ? struct.type.fields[index]?.type : undefined;
  if (type === undefined) throw new Error('a STRUCT has fewer fields than its type');
  return { kind: 'structField', type, value: struct, index };
}

/** Reads a 16-digit integer beside a timestamp as microseconds (googlesql.md, section 4). */
function withMicroseconds(left: Expr, right: Expr, session: ResolveSession, pos: Position): [Expr, Expr] {
  return [asMicroseconds(left, right, session, pos), asMicroseconds(right, left, session, pos)];
}

function asMicroseconds(expr: Expr, other: Expr, session: ResolveSession, pos: Position): Expr {
  if (other.type.kind !== 'TIMESTAMP' || expr.kind !== 'literal' || typeof expr.value !== 'bigint') return expr;
  if (expr.type.kind !== 'INT64' || !/^\d{16}$/.test(String(expr.value))) return expr;
  session.note({
    code: 'sql.timestamp_from_integer',
    message:
      'A 16-digit number compared with a TIMESTAMP was read as microseconds since 1970; GoogleSQL requires timestamp_micros(…).',
    line: pos.line,
    column: pos.column,
  });
  return { kind: 'literal', type: TIMESTAMP, value: expr.value };
}

/**
 * Compares a JSON value with an integer that a double may not hold: integers as INT64, other numbers as doubles. Null if
 * a comparison of doubles is exact.
 */
function exactIntegerComparison(fn: ComparisonFunction, a: Expr, b: Expr, pos: Position): Expr | null {
  const isFirst = a.type.kind === 'JSON' && b.type.kind === 'INT64';
  const isSecond = b.type.kind === 'JSON' && a.type.kind === 'INT64';
  if (!isFirst && !isSecond) return null;
  const number = isFirst ? b : a;
  const json = isFirst ? a : b;
  if (isExactAsDouble(number)) return null;
  const whole = coerce(json, INT64, pos);
  const decimal = coerce(json, FLOAT64, pos);
  const asDouble = coerce(number, FLOAT64, pos);
  const ordered = (value: Expr, against: Expr): Expr =>
    isFirst ? compare(fn, value, against, pos) : compare(fn, against, value, pos);
  const isWhole: Expr = {
    kind: 'call',
    type: BOOL,
    fn: '$not',
    args: [{ kind: 'call', type: BOOL, fn: '$is_null', args: [whole], safe: false, pos }],
    safe: false,
    pos,
  };
  return {
    kind: 'case',
    type: BOOL,
    branches: [{ when: isWhole, value: ordered(whole, number) }],
    otherwise: ordered(decimal, asDouble),
  };
}

const isSmall = (value: unknown): boolean =>
  value === null || (typeof value === 'bigint' && value <= int53Max && value >= -int53Max);

const isExactAsDouble = (expr: Expr): boolean =>
  expr.type.kind !== 'INT64' || (expr.kind === 'literal' && isSmall(expr.value));

function adviceFor(a: Expr, b: Expr): string {
  const kinds = [a.type.kind, b.type.kind];
  if (kinds.includes('STRING') && kinds.includes('INT64'))
    // Worded for LQL too, which has no conversion functions.
    return '; write the number in quotes to compare strings, or convert the string to a number';
  if (kinds.includes('STRING') && kinds.includes('TIMESTAMP')) {
    const text = [a, b].find((expr) => expr.type.kind === 'STRING');
    if (text?.kind === 'literal')
      return `; '${String(text.value).slice(0, 40)}' is not a timestamp such as 2026-05-01T10:00:00Z`;
    return '; convert the string with timestamp(…)';
  }
  if (kinds.includes('DATETIME') && kinds.includes('TIMESTAMP'))
    return '; convert one side with timestamp(…) or datetime(…)';
  return '';
}

/** Resolves `x IN (a, b)`: equality with one of the items, in three-valued logic. */
export function resolveIn(operand: Expr, items: readonly Expr[], pos: Position, session: ResolveSession): Expr {
  const type = commonType([operand, ...items]);
  const isNested =
    operand.type.kind === 'JSON' && (type?.kind === 'JSON' || items.some((item) => !isExactAsDouble(item)));
  const isMixed = type === null || type.kind === 'STRUCT' || isNested;
  if (!isMixed) {
    return {
      kind: 'call',
      type: BOOL,
      fn: '$in',
      args: [operand, ...items].map((each) => coerce(each, type, pos)),
      safe: false,
      pos,
    };
  }
  // Each item is compared as its own type: numbers as numbers, strings as strings.
  const args = items.map((item) => resolveComparison('$eq', operand, item, pos, session));
  return { kind: 'call', type: BOOL, fn: '$or', args, safe: false, pos };
}
