import { readBool } from '../../../core/boolText.ts';
import { ServiceError } from '../../../core/errors.ts';
import { nearestName } from '../../../core/nearestName.ts';
import { parseUrlEncoded } from '../../queryString.ts';

/** Parameters of the URL by name, blank ones left out. Throws `parameter.unknown` and `parameter.duplicate`. */
export function urlOptions(rawQuery: string, allowed: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (const [name, value] of parseUrlEncoded(rawQuery, 'query string')) {
    refuseOthers([name], allowed);
    if (given.has(name)) {
      throw new ServiceError('parameter.duplicate', `The parameter ${name} is given more than once.`, {
        errors: [{ parameter: name }],
      });
    }
    given.set(name, value);
  }
  return new Map([...given].filter(([, value]) => value !== ''));
}

/** Here nothing is passed over: a misspelt `dry_run` would make the change. */
export function refuseOthers(names: Iterable<string>, allowed: readonly string[]): void {
  for (const name of names) {
    if (allowed.includes(name)) continue;
    const parameter = name.slice(0, 64);
    const nearest = nearestName(parameter, allowed);
    const known = allowed.length === 0 ? 'it has none' : `it has ${allowed.join(', ')}`;
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    throw new ServiceError('parameter.unknown', `This operation has no parameter ${parameter}; ${known}.${hint}`, {
      errors: [{ parameter, allowed, ...(nearest === undefined ? {} : { nearest }) }],
    });
  }
}

export function flagOf(options: ReadonlyMap<string, string>, name: string): boolean {
  const value = options.get(name) ?? 'false';
  const flag = readBool(value);
  if (flag !== undefined) return flag;
  const shown = value.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The parameter ${name} is "${shown}"; it can be true or false.`, {
    errors: [{ parameter: name, value: shown, allowed: ['true', 'false'] }],
  });
}

/** The number of a version, or null without one. */
export function versionOf(options: ReadonlyMap<string, string>, name: string): number | null {
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
