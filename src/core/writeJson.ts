import { atOnce } from './concurrency/turns.ts';
import { hasOwnOrder, isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberNames } from './jsonValue.ts';

/**
 * Writes JSON without white space: members in their original order, integers with every digit, doubles in the shortest
 * exact form, -0 as 0, and exponents without a plus sign, in the same form as the engine. `parseJson` returns the same
 * value.
 *
 * @throws RangeError for a number that JSON cannot express (infinite, NaN).
 */
export function writeJson(value: JsonValue): string {
  return isNative(value) ? JSON.stringify(value) : atOnce(exactText(value));
}

/** Like `writeJson`, in steps. */
export function writeJsonInSteps(value: JsonValue): Generator<undefined, string> {
  return exactText(value);
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

/** Values that are written in one step. */
const stepValues = 4096;

/** A container that is being written. */
interface Open {
  readonly value: JsonObject | readonly JsonValue[];
  /** Null for an array. */
  readonly names: readonly string[] | null;
  readonly length: number;
  /** How many members or elements are written. */
  done: number;
}

/** Writes without recursion, so that the steps are part of one generator. */
function* exactText(root: JsonValue): Generator<undefined, string> {
  const texts: string[] = [];
  const around: Open[] = [];
  let parts: string[] = [];
  let value = root;
  for (let written = 1; ; written++) {
    if (typeof value === 'object' && value !== null) {
      const names = isJsonObject(value) ? memberNames(value) : null;
      const length = isJsonArray(value) ? value.length : (names ?? []).length;
      around.push({ value, names, length, done: 0 });
      parts.push(names === null ? '[' : '{');
    } else parts.push(scalarText(value));
    let within = around.at(-1);
    while (within !== undefined && within.done === within.length) {
      parts.push(within.names === null ? ']' : '}');
      around.pop();
      within = around.at(-1);
    }
    if (within === undefined) break;
    if (within.done > 0) parts.push(',');
    value = nextOf(within, parts);
    if (written % stepValues === 0) {
      texts.push(parts.join(''));
      parts = [];
      yield;
    }
  }
  texts.push(parts.join(''));
  return texts.join('');
}

/** The next value of the container; writes its name. */
function nextOf(within: Open, parts: string[]): JsonValue {
  const { value, names, done } = within;
  within.done += 1;
  if (isJsonArray(value)) return value[done] ?? null;
  const name = names?.[done] ?? '';
  parts.push(JSON.stringify(name), ':');
  return value[name] ?? null;
}

function scalarText(value: JsonValue): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'number') return JSON.stringify(value);
  if (!Number.isFinite(value)) throw new RangeError(`JSON cannot express ${value}`);
  return String(value).replace('e+', 'e');
}
