import { isJsonArray, isJsonObject, type JsonValue } from './jsonValue.ts';

// A lower limit of the bytes that a value takes when it is written as part of an event: a text may be a message, which has
// no quotes, and a list of one object may be written as that object. Commas of lists are counted where the elements are.

/** Two quotes and a colon of a member, and its comma, or a brace for the first. */
export const namingBytes = 4;

/** Bytes of a value that is not an array or object. Null may count as absent. */
export function scalarBytes(value: JsonValue): number {
  if (typeof value === 'string') return value.length;
  return value === null ? 0 : 1;
}

/** Bytes of the brackets of a complete array or object without what is in them. */
export function bracketBytes(value: JsonValue): number {
  if (!isJsonArray(value)) return 1;
  return value.length === 1 && isJsonObject(value[0]) ? 0 : 2;
}
