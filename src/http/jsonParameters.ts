import { ServiceError } from '../core/errors.ts';
import { isJsonArray, isJsonObject, type JsonValue, memberNames } from '../core/jsonValue.ts';
import { itemsMax } from '../endpoints/arrayParameter.ts';
import type { ParameterEntry } from '../invoke/parameterEntry.ts';
import { parseJsonText } from './jsonBody.ts';
import { parametersMax } from './queryString.ts';

/**
 * The parameters of a JSON body (contract, section 1): an object of strings. Numbers and booleans become text, and
 * integers keep every digit. Null counts as absent. An array has values of an array parameter. Objects are a 400.
 */
export function parseJsonParameters(text: string): readonly ParameterEntry[] {
  return jsonParametersOf(parseJsonText(text));
}

/** Like `parseJsonParameters`, for a value that is already parsed. */
export function jsonParametersOf(value: JsonValue): readonly ParameterEntry[] {
  if (!isJsonObject(value)) {
    throw new ServiceError('request.malformed', 'The JSON body must be an object whose members are the parameters.');
  }
  const names = memberNames(value);
  if (names.length > parametersMax) {
    throw new ServiceError('request.malformed', `The JSON body has more than ${parametersMax} parameters.`);
  }
  return names.flatMap((name): ParameterEntry[] => {
    const member = value[name] ?? null;
    if (member === null) return [];
    if (!isJsonArray(member)) return [[name, textOf(name, member)]];
    const texts = itemsOf(name, member);
    return [[name, texts[0] ?? '', { form: 'array', texts }]];
  });
}

function itemsOf(name: string, items: readonly JsonValue[]): readonly string[] {
  if (items.length > itemsMax) throw refuse(name, `has ${items.length} elements; the maximum is ${itemsMax}`, 'items');
  return items.map((item) => {
    if (item === null) throw refuse(name, 'has an element that is null', 'structure');
    return textOf(name, item);
  });
}

function textOf(name: string, value: Exclude<JsonValue, null>): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(name, value);
  throw refuse(
    name,
    'is an object or a nested array; it must be a string, a number, a boolean or an array of these',
    'structure',
  );
}

function numberText(name: string, value: number): string {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) {
    if (!Number.isFinite(value)) throw refuse(name, 'is too large for a JSON number; send it as a string', 'range');
    return String(value);
  }
  // Beyond 64 bits the JSON parser may have changed digits.
  if (Math.abs(value) >= 2 ** 64)
    throw refuse(name, 'is too large for an exact JSON number; send it as a string', 'range');
  return BigInt(value).toString();
}

function refuse(name: string, problem: string, rule: string): ServiceError {
  const shown = name.slice(0, 64);
  return new ServiceError('parameter.invalid', `The parameter ${shown} ${problem}.`, {
    errors: [{ parameter: shown, rule }],
  });
}
