import { isJsonObject, type JsonValue, memberNames, memberOf } from '../../src/core/jsonValue.ts';
import { plain } from '../reference/decodeValue.ts';

/**
 * A value of an answer as text that is the same for equal values: numbers by value (to so many
 * `digits`, where given), times without zeros at the end of their second, members of JSON in the order
 * of their names. `recordedType` is the type that the evaluator has for the column: a record, which is a
 * JSON object here, is an array of one struct there, and a member that is missing here is null there.
 */
export function canonical(value: unknown, type: string, recordedType: string, digits: number | null): string {
  const isRecord = type === 'JSON' && /^(?:ARRAY<)?STRUCT</.test(recordedType);
  const isFloat = /\bFLOAT64\b/.test(type) && !/\bINT64\b/.test(type);
  const isTime = /\bTIME/.test(type) || /\bDATETIME\b/.test(type);
  return JSON.stringify(tidy(isRecord ? asRecord(value) : value, { digits, isTime, isFloat })) ?? 'null';
}

/** An array of one struct as the struct; without members that are null or missing records. */
function asRecord(value: unknown): unknown {
  if (Array.isArray(value)) return value.length <= 1 ? asRecord(value[0] ?? null) : value.map(asRecord);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, asRecord(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== null));
}

function tidy(
  value: unknown,
  as: { readonly digits: number | null; readonly isTime: boolean; readonly isFloat: boolean },
): unknown {
  // A FLOAT64 beyond 2^53 is read as a whole number of many digits.
  if (as.isFloat && typeof value === 'string' && /^-?\d+$/.test(value)) return tidy(Number(value), as);
  if (typeof value === 'number') return as.digits === null ? value : Number(value.toPrecision(as.digits));
  if (typeof value === 'string')
    return as.isTime ? value.replace(/(:\d\d)(?:\.0+|(\.\d*[1-9])0*)(Z?)$/, '$1$2$3') : value;
  if (Array.isArray(value)) return value.map((each) => tidy(each, as));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, tidy(member, as)]));
}

/** The values of a row in the order of the columns, as `JSON.stringify` can write them. */
export function cellsOf(row: JsonValue): readonly unknown[] {
  if (!isJsonObject(row)) throw new Error('a row is no object');
  return memberNames(row).map((name) => plain(memberOf(row, name)));
}
