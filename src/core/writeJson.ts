import { hasOwnOrder, isJsonArray, isJsonObject, type JsonValue, memberNames } from './jsonValue.ts';

/**
 * Writes JSON without white space: members in their original order, integers with every digit, doubles in the shortest
 * exact form, -0 as 0, and exponents without a plus sign, in the same form as the engine. `parseJson` returns the same
 * value.
 *
 * @throws RangeError for a number that JSON cannot express (infinite, NaN).
 */
export function writeJson(value: JsonValue): string {
  return isNative(value) ? JSON.stringify(value) : exactText(value);
}

/** Whether JSON can express every number of the value. */
export function hasOnlyFiniteNumbers(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (isJsonArray(value)) return value.every(hasOnlyFiniteNumbers);
  for (const name in value) if (!hasOnlyFiniteNumbers(value[name] ?? null)) return false;
  return true;
}

/** JavaScript writes numbers from this size on with an exponent and a plus sign. */
const plusSignFrom = 1e21;

/** Whether `JSON.stringify` writes the value in our form. */
function isNative(value: JsonValue): boolean {
  if (typeof value === 'bigint') return false;
  if (typeof value === 'number') return Math.abs(value) < plusSignFrom;
  if (typeof value !== 'object' || value === null) return true;
  if (isJsonArray(value)) {
    for (const element of value) if (!isNative(element)) return false;
    return true;
  }
  if (hasOwnOrder(value)) return false;
  for (const name in value) if (!isNative(value[name] ?? null)) return false;
  return true;
}

function exactText(value: JsonValue): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`JSON cannot express ${value}`);
    return JSON.stringify(value).replace('e+', 'e');
  }
  if (isJsonArray(value)) return `[${value.map(exactText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{${memberNames(value)
    .map((name) => `${JSON.stringify(name)}:${exactText(value[name] ?? null)}`)
    .join(',')}}`;
}
