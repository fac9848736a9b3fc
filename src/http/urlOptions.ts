import { readBool } from '../core/boolText.ts';
import { ServiceError } from '../core/errors.ts';
import { isBlank } from '../core/isBlank.ts';
import { nearestName } from '../core/nearestName.ts';
import { parseUrlEncoded } from './queryString.ts';

/** Parameters of the URL by name; none is blank. */
export type UrlOptions = ReadonlyMap<string, string>;

const none: ReadonlyMap<string, string> = new Map();

/**
 * The operation's parameters in the query string. None is ignored: with a misspelt `dry_run` the change would be made,
 * and a bound without a value would bound nothing. Throws `parameter.unknown`, `parameter.duplicate` or
 * `parameter.invalid`.
 */
export function urlOptions(rawQuery: string, allowed: readonly string[] | 'open'): UrlOptions {
  if (allowed === 'open') return none;
  const given = new Map<string, string>();
  for (const [name, value] of parseUrlEncoded(rawQuery, 'query string')) {
    if (!allowed.includes(name)) throw unknownOption(name, allowed);
    if (given.has(name)) {
      throw new ServiceError('parameter.duplicate', `The parameter ${name} is given more than once.`, {
        errors: [{ parameter: name }],
      });
    }
    requireValue(name, value);
    given.set(name, value);
  }
  return given;
}

/** Throws `parameter.invalid` for a blank URL parameter. */
export function requireValue(parameter: string, value: string): void {
  if (!isBlank(value)) return;
  throw new ServiceError('parameter.invalid', `The parameter ${parameter} is empty. Give it a value or leave it out.`, {
    errors: [{ parameter, value: value.slice(0, 64), expected: 'text that is not empty' }],
  });
}

/** Throws `parameter.invalid` for a blank part of the path. */
export function requirePathParts(parts: Readonly<Record<string, string>>): void {
  for (const [parameter, value] of Object.entries(parts)) {
    if (!isBlank(value)) continue;
    throw new ServiceError('parameter.invalid', `The ${parameter} in the path is empty; it must be text.`, {
      errors: [{ parameter, value: value.slice(0, 64), expected: 'text that is not empty' }],
    });
  }
}

function unknownOption(name: string, allowed: readonly string[]): ServiceError {
  const parameter = name.slice(0, 64);
  const nearest = nearestName(parameter, allowed);
  const known = allowed.length === 0 ? 'it has no parameters' : `allowed: ${allowed.join(', ')}`;
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return new ServiceError('parameter.unknown', `This operation has no parameter ${parameter}; ${known}.${hint}`, {
    errors: [{ parameter, allowed, ...(nearest === undefined ? {} : { nearest }) }],
  });
}

/** The value of a boolean parameter; false if it is left out. Throws `parameter.invalid`. */
export function flagOf(options: UrlOptions, name: string): boolean {
  const value = options.get(name) ?? 'false';
  const flag = readBool(value);
  if (flag !== undefined) return flag;
  const shown = value.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The parameter ${name} is "${shown}"; it must be true or false.`, {
    errors: [{ parameter: name, value: shown, allowed: ['true', 'false'] }],
  });
}

/** A version number, or null if the parameter is left out. */
export function versionOf(options: UrlOptions, name: string): number | null {
  const value = options.get(name);
  return value === undefined ? null : versionNumber(name, value);
}

/** Throws `parameter.invalid` if the value is not a version number. */
export function versionNumber(name: string, value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  const shown = value.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The ${name} is "${shown}"; it must be a whole number from 1.`, {
    errors: [{ parameter: name, value: shown, expected: 'a whole number from 1' }],
  });
}
