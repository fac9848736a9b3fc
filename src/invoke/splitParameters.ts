import { readBool } from '../core/boolText.ts';
import { ServiceError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { type FormatName, formatNames } from '../formats/resultFormat.ts';
import type { CallerQuery } from './callerQueryText.ts';
import type { ParameterEntry } from './parameterEntry.ts';

/** Parameters that belong to the service; no definition can declare them (contract, section 3). */
export const reservedParameters = ['sql', 'lql', 'format', 'version', 'dry_run'] as const;

const reserved: ReadonlySet<string> = new Set(reservedParameters);

export interface SplitParameters {
  /** The caller query, or null for the stored query. */
  readonly callerQuery: CallerQuery | null;
  /** Whether the call is a dry run. */
  readonly isDryRun: boolean;
  /** The parameter `format`; null if it is absent. */
  readonly format: FormatName | null;
  /** Every parameter that is not reserved, in order. */
  readonly declared: readonly ParameterEntry[];
}

/**
 * Separates the reserved parameters of a call from the others (contract, section 1, "sql / lql"). White space alone
 * counts as absent, except in `dry_run`: sending it without a value still requests a dry run. Names in `entries` must
 * be unique.
 */
export function splitParameters(
  entries: readonly ParameterEntry[],
  hasSandbox: boolean,
  textBytesMax: number = limits.callerQueryBytesMax,
): SplitParameters {
  const isGiven = ([name, value, list]: ParameterEntry) =>
    name === 'dry_run' || list !== undefined || value.trim() !== '';
  const own = entries.filter((entry) => reserved.has(entry[0]) && isGiven(entry));
  for (const [name, , list] of own) if (list !== undefined) throw severalValues(name);
  const given = new Map(own.map(([name, value]) => [name, value] as const));
  const sql = given.get('sql');
  const lql = given.get('lql');
  if (sql !== undefined && lql !== undefined) {
    throw new ServiceError('query.both', 'The call has both sql and lql. Send one of them.', {
      errors: [{ parameter: 'sql' }, { parameter: 'lql' }],
    });
  }
  const callerQuery = callerQueryOf(sql, lql);
  if (callerQuery !== null && !hasSandbox) {
    const { language } = callerQuery;
    throw new ServiceError(
      'sandbox.disabled',
      `This endpoint does not accept caller queries. Call it without the parameter ${language}.`,
      { errors: [{ parameter: language }] },
    );
  }
  const format = formatOf(given.get('format'));
  if (callerQuery !== null) checkText(callerQuery, textBytesMax);
  const isDryRun = dryRunOf(given.get('dry_run'));
  return { callerQuery, isDryRun, format, declared: entries.filter(([name]) => !reserved.has(name)) };
}

export function severalValues(parameter: string): ServiceError {
  return new ServiceError('parameter.duplicate', `The parameter ${parameter} takes one value; give it once.`, {
    errors: [{ parameter, message: 'is given more than once' }],
  });
}

function callerQueryOf(sql: string | undefined, lql: string | undefined): CallerQuery | null {
  if (sql !== undefined) return { language: 'sql', text: sql };
  return lql === undefined ? null : { language: 'lql', text: lql };
}

function formatOf(given: string | undefined): FormatName | null {
  return given === undefined ? null : formatNamed(given);
}

/** The format that the caller names. An unknown one is a 406, as with `Accept` (contract, section 1). */
export function formatNamed(given: string): FormatName {
  const wanted = given.trim().toLowerCase();
  const format = formatNames.find((name) => name === wanted);
  if (format !== undefined) return format;
  const value = given.slice(0, 64);
  throw new ServiceError(
    'request.not_acceptable',
    `The format "${value}" does not exist; use one of ${formatNames.join(', ')}.`,
    { errors: [{ parameter: 'format', value, allowed: formatNames }] },
  );
}

function dryRunOf(value: string | undefined): boolean {
  return value === undefined ? false : flagOf('dry_run', value);
}

/** The value of a parameter that switches something on. */
export function flagOf(parameter: string, value: string): boolean {
  const flag = readBool(value);
  if (flag !== undefined) return flag;
  const shown = value.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The parameter ${parameter} is "${shown}"; it must be true or false.`, {
    errors: [{ parameter, value: shown, allowed: ['true', 'false'] }],
  });
}

function checkText({ language, text }: CallerQuery, bytesMax: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) {
    throw new ServiceError(
      'sql.too_complex',
      `The query is ${bytes} bytes long; at most ${bytesMax} bytes are allowed.`,
      {
        errors: [{ parameter: language, rule: 'length', expected: `at most ${bytesMax} bytes` }],
      },
    );
  }
  const bad = /\0|\p{Surrogate}/u.exec(text);
  if (bad !== null) {
    const what = bad[0] === '\0' ? 'a NUL character' : 'half of a surrogate pair';
    throw new ServiceError(
      'parameter.invalid',
      `The parameter ${language} contains ${what} at character ${bad.index + 1}.`,
      {
        errors: [{ parameter: language, rule: 'text' }],
      },
    );
  }
}
