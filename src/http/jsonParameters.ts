import { ServiceError } from '../core/errors.ts';
import { isJsonObject, type JsonValue, memberNames } from '../core/jsonValue.ts';
import type { ParameterEntry } from '../invoke/parameterEntry.ts';
import { parseJsonText } from './jsonBody.ts';
import { parametersMax } from './queryString.ts';

/**
 * The parameters of a JSON body (contract, section 1): an object of strings. Numbers and booleans become text, and
 * integers keep every digit. Null counts as absent. Arrays and objects are a 400.
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
    return member === null ? [] : [[name, textOf(name, member)]];
  });
}

function textOf(name: string, value: Exclude<JsonValue, null>): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(name, value);
  throw refuse(name, 'is an array or an object; it must be a string, a number or a boolean', 'structure');
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
