import { readBool } from '../core/boolText.ts';
import { ServiceError } from '../core/errors.ts';
import { isBlank } from '../core/isBlank.ts';
import { nearestName } from '../core/nearestName.ts';
import { parseUrlEncoded } from './queryString.ts';

/** Parameters of the URL by name; none is blank. */
export type UrlOptions = ReadonlyMap<string, string>;

const none: UrlOptions = new Map();

/**
 * The parameters that an operation has, out of the query string. Nothing is passed over: a misspelt `dry_run` would
 * make the change, and a bound without a value would be no bound. Throws `parameter.unknown`, `parameter.duplicate`
 * and `parameter.invalid`.
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

/** Throws `parameter.invalid` for a parameter of the URL that is blank. */
export function requireValue(parameter: string, value: string): void {
  if (!isBlank(value)) return;
  throw new ServiceError(
    'parameter.invalid',
    `The parameter ${parameter} is empty. Give it a value, or leave it out.`,
    { errors: [{ parameter, value: value.slice(0, 64), expected: 'text that is not empty' }] },
  );
}

/** Throws `parameter.invalid` for a part of the path that is blank: it names nothing. */
export function requirePathParts(parts: Readonly<Record<string, string>>): void {
  for (const [parameter, value] of Object.entries(parts)) {
    if (!isBlank(value)) continue;
    throw new ServiceError('parameter.invalid', `The ${parameter} in the path is empty.`, {
      errors: [{ parameter, value: value.slice(0, 64), expected: 'text that is not empty' }],
    });
  }
}

function unknownOption(name: string, allowed: readonly string[]): ServiceError {
  const parameter = name.slice(0, 64);
  const nearest = nearestName(parameter, allowed);
  const known = allowed.length === 0 ? 'it has none' : `it has ${allowed.join(', ')}`;
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return new ServiceError('parameter.unknown', `This operation has no parameter ${parameter}; ${known}.${hint}`, {
    errors: [{ parameter, allowed, ...(nearest === undefined ? {} : { nearest }) }],
  });
}

/** The truth value of a parameter, false where it is left out. Throws `parameter.invalid`. */
export function flagOf(options: UrlOptions, name: string): boolean {
  const value = options.get(name) ?? 'false';
  const flag = readBool(value);
  if (flag !== undefined) return flag;
  const shown = value.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The parameter ${name} is "${shown}"; it can be true or false.`, {
    errors: [{ parameter: name, value: shown, allowed: ['true', 'false'] }],
  });
}

/** The number of a version, or null without one. */
export function versionOf(options: UrlOptions, name: string): number | null {
  const value = options.get(name);
  return value === undefined ? null : versionNumber(name, value);
}

/** Throws `parameter.invalid` for what is no number of a version. */
export function versionNumber(name: string, value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  const shown = value.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The ${name} is "${shown}"; versions are numbered from 1.`, {
    errors: [{ parameter: name, value: shown, expected: 'a whole number from 1' }],
  });
}
