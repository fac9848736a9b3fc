import type { Position } from '../syntax/nodes.ts';
import { arrayOf, FLOAT64, JSON_TYPE, NESTED_JSON, NESTED_NUMBER, type SqlType, sameType, structOf } from '../types.ts';
import { parseDateText, parseDatetimeText, parseTimestampText, parseTimeText } from './timeText.ts';
import type { Expr, LiteralExpr, LiteralValue } from './tree.ts';

/**
 * Implicit conversion (GoogleSQL, "Conversion rules", coercion), and context typing of JSON values
 * (googlesql.md, section 2).
 */

/** The cost of reading `expr` as `type`: 0 for the same type, more for a worse fit, null if it does not fit. */
export function coercionCost(expr: Expr, type: SqlType): number | null {
  const from = expr.type;
  if (sameType(from, type)) return 0;
  if (from.kind === 'NULL') return 1;
  if (from.kind === 'INT64' && type.kind === 'FLOAT64') return 1;
  // A DATE has no zone, so it is read as a TIMESTAMP only if nothing else fits.
  if (from.kind === 'DATE' && type.kind === 'DATETIME') return 2;
  if (from.kind === 'DATE' && type.kind === 'TIMESTAMP') return 3;
  if (from.kind === 'STRING' && isTimeType(type) && isTextConstant(expr)) {
    return expr.kind === 'parameter' || literalAs(expr, type) !== null ? 2 : null;
  }
  if (from.kind === 'STRING' && type.kind === 'BYTES' && expr.kind === 'literal') return 3;
  if (from.kind === 'JSON') return jsonCost(type);
  if (from.kind === 'ARRAY' && type.kind === 'JSON') return from.element.kind === 'NULL' ? 3 : null;
  if (from.kind === 'ARRAY' && type.kind === 'ARRAY') {
    // The elements of a typed array keep their type; nested values have no type yet.
    const isTyped = from.element.kind !== 'NULL' && from.element.kind !== 'JSON' && from.element.kind !== 'STRUCT';
    if (isTyped && expr.kind !== 'array') return null;
    const elements = expr.kind === 'array' ? expr.elements : [anyOfType(from.element)];
    return worst(elements.map((element) => coercionCost(element, type.element)));
  }
  if (from.kind === 'STRUCT' && type.kind === 'STRUCT' && from.fields.length === type.fields.length) {
    const values = expr.kind === 'struct' ? expr.values : from.fields.map((field) => anyOfType(field.type));
    return worst(
      values.map((value, i) => {
        const field = type.fields[i];
        return field === undefined ? null : coercionCost(value, field.type);
      }),
    );
  }
  return null;
}

/** A placeholder for a value of which only the type is known. */
export const anyOfType = (type: SqlType): Expr => ({ kind: 'column', type, column: { id: 0, name: '', type } });

/** Like `coercionCost`, for an argument of a function: a number computed from nested values also fits INT64. */
export function argumentCost(arg: Expr, type: SqlType): number | null {
  const isNestedNumber = arg.type.kind === 'FLOAT64' && arg.type.isNested === true;
  return isNestedNumber && type.kind === 'INT64' ? 6 : coercionCost(arg, type);
}

/** A nested value is read as a number or a string; as a time only if neither fits. */
function jsonCost(type: SqlType): number | null {
  if (type.kind === 'STRUCT' || type.kind === 'NULL') return null;
  if (type.kind === 'ARRAY') return 5;
  return isTimeType(type) || type.kind === 'INTERVAL' || type.kind === 'BYTES' ? 8 : 4;
}

function worst(costs: readonly (number | null)[]): number | null {
  let cost = 0;
  for (const each of costs) {
    if (each === null) return null;
    cost = Math.max(cost, each);
  }
  return cost;
}

export const isTimeType = (type: SqlType): boolean =>
  type.kind === 'TIMESTAMP' || type.kind === 'DATETIME' || type.kind === 'DATE' || type.kind === 'TIME';

const isTextConstant = (expr: Expr): boolean => expr.kind === 'literal' || expr.kind === 'parameter';

/** Converts `expr` to `type`. The caller has checked with `coercionCost` that it fits. */
export function coerce(expr: Expr, type: SqlType, pos: Position): Expr {
  const from = expr.type;
  if (sameType(from, type)) return expr;
  if (expr.kind === 'literal') {
    const literal = literalAs(expr, type);
    if (literal !== null) return literal;
  }
  if (from.kind === 'JSON' && type.kind !== 'ARRAY' && type.kind !== 'STRUCT' && type.kind !== 'NULL') {
    if (expr.kind === 'pathRead' && expr.wanted === 'JSON') return { ...expr, wanted: type.kind, type };
    return { kind: 'pathRead', type, base: expr, path: [], wanted: type.kind };
  }
  if (expr.kind === 'array' && type.kind === 'ARRAY') {
    return { ...expr, type, elements: expr.elements.map((element) => coerce(element, type.element, pos)) };
  }
  if (expr.kind === 'array' && type.kind === 'JSON') return { kind: 'literal', type, value: '[]' };
  if (expr.kind === 'struct' && type.kind === 'STRUCT') {
    const values = expr.values.map((value, i) => coerce(value, type.fields[i]?.type ?? value.type, pos));
    return { ...expr, type, values };
  }
  const isNested = from.kind === 'JSON' || from.kind === 'ARRAY' || from.kind === 'STRUCT';
  return { kind: 'cast', type, value: expr, safe: isNested, isImplicit: true, pos, label: 'a value' };
}

/** The literal as another type, or null if its value does not fit. */
function literalAs(expr: Expr, type: SqlType): LiteralExpr | null {
  if (expr.kind !== 'literal') return null;
  if (expr.value === null) return { kind: 'literal', type, value: null };
  if (expr.type.kind === 'INT64' && type.kind === 'FLOAT64') {
    return { kind: 'literal', type, value: Number(expr.value) };
  }
  if (expr.type.kind !== 'STRING' || typeof expr.value !== 'string') return null;
  const value = textAs(expr.value, type);
  return value === null ? null : { kind: 'literal', type, value };
}

/** Reads a string as a value of `type`. Null if it does not fit or names a time zone. */
export function textAs(text: string, type: SqlType): LiteralValue {
  switch (type.kind) {
    case 'TIMESTAMP':
      return parseTimestampText(text);
    case 'DATETIME':
      return parseDatetimeText(text);
    case 'DATE':
      return parseDateText(text);
    case 'TIME':
      return parseTimeText(text);
    case 'BYTES':
      return new Uint8Array(Buffer.from(text, 'utf8'));
    default:
      return null;
  }
}

/**
 * The type that all expressions can be read as (GoogleSQL "supertypes"), or null. A JSON value takes the type of the
 * others. An integer beside JSON is read as FLOAT64, so that a stored 12.5 is not truncated.
 */
export function commonType(exprs: readonly Expr[]): SqlType | null {
  const typed = exprs.filter((expr) => expr.type.kind !== 'NULL');
  const concrete = typed.filter((expr) => expr.type.kind !== 'JSON');
  const [first] = concrete;
  if (first === undefined) return typed.length > 0 ? jsonType(typed) : { kind: 'NULL' };
  const isWithJson = concrete.length < typed.length;
  if (!isWithJson && concrete.every(({ type }) => type.kind === 'ARRAY' || type.kind === 'STRUCT'))
    return commonNested(concrete);
  const candidates: SqlType[] = [];
  // Each type once: a list of thousands of values has few types.
  for (const { type } of concrete) if (!candidates.some((known) => sameType(known, type))) candidates.push(type);
  if (concrete.some((expr) => expr.type.kind === 'INT64')) candidates.push(FLOAT64);
  if (isWithJson) candidates.push(jsonType(typed));
  let best: SqlType | null = null;
  let bestCost = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const type = isWithJson && candidate.kind === 'INT64' ? NESTED_NUMBER : candidate;
    const costs = typed.map((expr) => coercionCost(expr, type));
    const total = costs.some((cost) => cost === null)
      ? null
      : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
    if (total !== null && total < bestCost) {
      best = type;
      bestCost = total;
    }
  }
  return best;
}

/** JSON counts as nested if one of the values was read from events. */
const jsonType = (exprs: readonly Expr[]): SqlType =>
  exprs.some(({ type }) => type.kind === 'JSON' && type.isNested === true) ? NESTED_JSON : JSON_TYPE;

/** The common type of arrays (by element) or structs (by field); the first struct gives the field names. */
function commonNested(exprs: readonly Expr[]): SqlType | null {
  const types = exprs.map((expr) => expr.type);
  if (types.every((type) => type.kind === 'ARRAY')) {
    const element = commonType(
      exprs.flatMap((expr) => {
        if (expr.kind === 'array' && expr.elements.length > 0) return expr.elements;
        return expr.type.kind === 'ARRAY' ? [anyOfType(expr.type.element)] : [];
      }),
    );
    return element === null ? null : arrayOf(element);
  }
  const structs = types.filter((type) => type.kind === 'STRUCT');
  const [first] = structs;
  if (first === undefined || structs.length !== types.length) return null;
  if (structs.some(({ fields }) => fields.length !== first.fields.length)) return null;
  const fields = [];
  for (const [i, field] of first.fields.entries()) {
    const ofField = exprs.map((expr) => {
      if (expr.kind === 'struct') return expr.values[i];
      const type = expr.type.kind === 'STRUCT' ? expr.type.fields[i]?.type : undefined;
      return type === undefined ? undefined : anyOfType(type);
    });
    if (ofField.some((value) => value === undefined)) return null;
    const type = commonType(ofField.filter((value) => value !== undefined));
    if (type === null) return null;
    fields.push({ name: field.name, type });
  }
  return structOf(fields);
}
