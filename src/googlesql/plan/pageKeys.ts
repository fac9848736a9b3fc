import { isJsonObject, type JsonValue, memberOf } from '../../core/jsonValue.ts';
import { parseJson } from '../../core/losslessJson.ts';
import type { FunctionName } from '../functions/catalogue.ts';
import type { Expr, LiteralExpr, LiteralValue, SortKey } from '../resolve/tree.ts';
import { BOOL, INT64, type SqlType } from '../types.ts';

/** A key of the order of pages. */
export interface PageKey extends SortKey {
  readonly isNeverNull: boolean;
}

const start = { offset: 0, line: 1, column: 1 };

/** A call in a condition or a key of a page, which has no place in the text of the query. */
export const call = (fn: FunctionName, args: readonly Expr[], type: SqlType = BOOL): Expr => ({
  kind: 'call',
  type,
  fn,
  args,
  safe: false,
  pos: start,
});

const literal = (type: SqlType, value: LiteralValue): LiteralExpr => ({ kind: 'literal', type, value });

/** Types whose values order rows exactly and can be read back from JSON. */
const keyTypes: ReadonlySet<string> = new Set(['INT64', 'FLOAT64', 'BOOL', 'STRING', 'BYTES', 'TIMESTAMP', 'DATE']);

export const isKeyType = ({ kind }: SqlType): boolean => keyTypes.has(kind);

/** The expressions whose values identify a place in the order: times as integers, so that none depends on how it is written. */
export function writtenKeys(keys: readonly PageKey[]): readonly Expr[] {
  return keys.map(({ expr }) => {
    if (expr.type.kind === 'TIMESTAMP') return call('unix_micros', [expr], INT64);
    return expr.type.kind === 'DATE' ? call('unix_date', [expr], INT64) : expr;
  });
}

/**
 * The values of the keys from the JSON object that an engine returned for `writtenKeys`, whose members are in their order.
 * Null if it does not fit the keys.
 */
export function readKeys(text: string, keys: readonly PageKey[]): readonly LiteralValue[] | null {
  const object = parseJson(text);
  if (!isJsonObject(object)) return null;
  const values: LiteralValue[] = [];
  for (const [i, { expr }] of keys.entries()) {
    const value = keyValue(memberOf(object, keyName(i)), expr.type);
    if (value === undefined) return null;
    values.push(value);
  }
  return values;
}

/** The member of a key in that object. */
export const keyName = (index: number): string => `k${index}`;

function keyValue(value: JsonValue | undefined, { kind }: SqlType): LiteralValue | undefined {
  if (value === null) return null;
  switch (kind) {
    case 'BOOL':
      return typeof value === 'boolean' ? value : undefined;
    case 'STRING':
      return typeof value === 'string' ? value : undefined;
    case 'BYTES':
      return typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
    case 'FLOAT64': {
      if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
      return typeof value === 'string' ? Number(value) : undefined;
    }
    default:
      if (typeof value === 'bigint') return value;
      return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
  }
}

/** The keys of the opposite order. */
export function reversed(keys: readonly PageKey[]): readonly PageKey[] {
  return keys.map((key) => ({
    ...key,
    descending: !key.descending,
    nulls: key.nulls === 'first' ? 'last' : 'first',
  }));
}

/** A place in the order: before or after the row with these keys. */
export interface KeyPlace {
  readonly keys: readonly LiteralValue[];
  /** Whether the rows after the place begin with this row. */
  readonly includesRow: boolean;
}

/**
 * The condition for the rows after a place in the order, where NULL and NaN are (googlesql.md, ORDER BY). It is written as
 * `k <= x AND (k < x OR …)`, so that bounds of scans follow from it.
 */
export function isAfter(keys: readonly PageKey[], { keys: values, includesRow }: KeyPlace): Expr {
  // For rows whose keys are the same.
  let condition: Expr = literal(BOOL, includesRow);
  for (const [i, key] of [...keys.entries()].toReversed()) {
    const value = values[i] ?? null;
    const beyond = isBeyond(key, value);
    if (isNever(condition)) {
      condition = beyond;
      continue;
    }
    const apart = either(beyond, condition);
    condition = isPlain(key, value)
      ? both(call(key.descending ? '$le' : '$ge', [key.expr, literal(key.expr.type, value)]), apart)
      : either(beyond, both(isSame(key, value), condition));
  }
  return condition;
}

/** Whether the key compares like a number that is never NULL or NaN. */
const isPlain = ({ expr, isNeverNull }: PageKey, value: LiteralValue): boolean =>
  isNeverNull && value !== null && expr.type.kind !== 'FLOAT64';

const isNever = (expr: Expr): boolean => expr.kind === 'literal' && expr.value === false;
const isAlways = (expr: Expr): boolean => expr.kind === 'literal' && expr.value === true;
const both = (a: Expr, b: Expr): Expr => (isAlways(b) ? a : call('$and', [a, b]));

function either(a: Expr, b: Expr): Expr {
  if (isNever(a) || isAlways(b)) return b;
  return isNever(b) ? a : call('$or', [a, b]);
}

/** Whether a row's key is after the value. */
function isBeyond({ expr, descending, nulls, isNeverNull }: PageKey, value: LiteralValue): Expr {
  const isNull = call('$is_null', [expr]);
  if (value === null) return nulls === 'first' ? call('$not', [isNull]) : literal(BOOL, false);
  const beyond = compared(expr, descending, value);
  return nulls === 'first' || isNeverNull ? beyond : either(beyond, isNull);
}

function compared(expr: Expr, descending: boolean, value: Exclude<LiteralValue, null>): Expr {
  const compare = call(descending ? '$lt' : '$gt', [expr, literal(expr.type, value)]);
  if (expr.type.kind !== 'FLOAT64') return compare;
  // NaN comes before every number, and compares as neither less nor greater.
  const isNan = call('is_nan', [expr]);
  if (Number.isNaN(value)) return descending ? literal(BOOL, false) : call('$not', [isNan]);
  return descending ? either(compare, isNan) : compare;
}

function isSame({ expr }: PageKey, value: LiteralValue): Expr {
  if (value === null) return call('$is_null', [expr]);
  if (typeof value === 'number' && Number.isNaN(value)) return call('is_nan', [expr]);
  return call('$eq', [expr, literal(expr.type, value)]);
}
