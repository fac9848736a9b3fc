/**
 * Values of the reference evaluator and how a filter reads them, written from googlesql.md, section 2, and lql.md alone.
 * Whole numbers that a double cannot hold are bigints.
 */

export type Value = null | boolean | number | bigint | string | readonly Value[] | ValueObject;

export interface ValueObject {
  readonly [name: string]: Value;
}

export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

export const isObject = (value: Value | undefined): value is ValueObject =>
  typeof value === 'object' && value !== null && !isList(value);

/** JSON text with every digit of whole numbers. */
export function jsonText(value: Value): string {
  if (typeof value === 'bigint') return String(value);
  if (isList(value)) return `[${value.map(jsonText).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`)
    .join(',')}}`;
}

/** A list of one object counts as that object on the way of a path; what is missing is null. */
export function valueAt(from: Value, steps: readonly string[]): Value {
  return steps.reduce<Value>((value, step) => {
    const [only] = isList(value) && value.length === 1 ? value : [value];
    return isObject(only) && Object.hasOwn(only, step) ? (only[step] ?? null) : null;
  }, from);
}

/** A value read as text; null where it has no text. */
export function textOf(value: Value): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : null;
}

const numberForm = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;
const int64Form = /^[+-]?\d{1,19}$/;
const fits = (whole: bigint): boolean => whole >= -(2n ** 63n) && whole < 2n ** 63n;

/** A value read as a number: a whole one as a bigint. Null where it is none. */
export function numberOf(value: Value): number | bigint | null {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'string' || !numberForm.test(value)) return null;
  if (int64Form.test(value) && fits(BigInt(value.replace('+', '')))) return BigInt(value.replace('+', ''));
  const number = Number(value);
  if (!Number.isFinite(number)) return null;
  return Number.isSafeInteger(number) ? BigInt(number) : number;
}

export function booleanOf(value: Value): boolean | null {
  const text = textOf(value)?.toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : null;
}

/** Below 0, 0 or above 0. Two whole numbers are compared with all their digits. */
export function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return Number(a) - Number(b);
}

/** By code points, as GoogleSQL orders texts. */
export function compareTexts(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((character, i) => character !== right[i]);
  if (at < 0) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}
