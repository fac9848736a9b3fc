import { readBool } from '../core/boolText.ts';
import { ServiceError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { CallerQuery } from './callerQuery.ts';
import type { ParameterEntry } from './parameterEntry.ts';

/** Parameters that belong to the service; no definition can declare them (contract, section 3). */
const reserved: ReadonlySet<string> = new Set(['sql', 'lql', 'format', 'version', 'dry_run']);

export interface SplitParameters {
  /** The caller's own query, or null for the stored one. */
  readonly callerQuery: CallerQuery | null;
  /** Whether the call asks what would be run instead of running it. */
  readonly isDryRun: boolean;
  /** Everything that is not reserved, in order. */
  readonly declared: readonly ParameterEntry[];
}

/**
 * Takes the reserved parameters out of a call's (contract, section 1, "sql / lql"). White space alone is absent, except
 * in `dry_run`: who sends it without a value means that nothing is to be run. No name may stand twice in `entries`.
 */
export function splitParameters(
  entries: readonly ParameterEntry[],
  hasSandbox: boolean,
  textBytesMax: number = limits.callerQueryBytesMax,
): SplitParameters {
  const given = new Map(
    entries.filter(([name, value]) => reserved.has(name) && (name === 'dry_run' || value.trim() !== '')),
  );
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
      `This endpoint does not accept a query of the caller. Call it without the parameter ${language}.`,
      { errors: [{ parameter: language }] },
    );
  }
  checkFormat(given.get('format'));
  if (callerQuery !== null) checkText(callerQuery, textBytesMax);
  const isDryRun = dryRunOf(given.get('dry_run'));
  return { callerQuery, isDryRun, declared: entries.filter(([name]) => !reserved.has(name)) };
}

function callerQueryOf(sql: string | undefined, lql: string | undefined): CallerQuery | null {
  if (sql !== undefined) return { language: 'sql', text: sql };
  return lql === undefined ? null : { language: 'lql', text: lql };
}

/** Forms that rows are asked for in elsewhere, and that this version cannot write. */
const laterFormats: ReadonlySet<string> = new Set(['csv', 'ndjson', 'arrow', 'parquet']);

/**
 * `format` says in the URL what `Accept` says (contract, section 1): an unknown one is a 406 as there. One
 * that is known and not built is a 501, which Accept cannot tell: HTTP has 406 for whatever is not to be had.
 */
function checkFormat(given: string | undefined): void {
  const format = given?.toLowerCase();
  if (format === undefined || format === 'json') return;
  if (laterFormats.has(format)) {
    throw notBuilt('format', `Rows as ${format} are not available in this version; they can be json.`, ['json']);
  }
  const value = (given ?? '').slice(0, 64);
  throw new ServiceError('request.not_acceptable', `There is no format "${value}"; the answer can be json.`, {
    errors: [{ parameter: 'format', value, allowed: ['json'] }],
  });
}

function dryRunOf(value: string | undefined): boolean {
  const flag = value === undefined ? false : readBool(value);
  if (value === undefined || flag !== undefined) return flag === true;
  const shown = value.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The parameter dry_run is "${shown}"; it can be true or false.`, {
    errors: [{ parameter: 'dry_run', value: shown, allowed: ['true', 'false'] }],
  });
}

function notBuilt(parameter: string, sentence: string, allowed?: readonly string[]): ServiceError {
  return new ServiceError('feature.unavailable', sentence, {
    errors: [{ parameter, ...(allowed === undefined ? {} : { allowed }) }],
  });
}

function checkText({ language, text }: CallerQuery, bytesMax: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) {
    throw new ServiceError('sql.too_complex', `The query is ${bytes} bytes long; ${bytesMax} bytes are allowed.`, {
      errors: [{ parameter: language, rule: 'length', expected: `at most ${bytesMax} bytes` }],
    });
  }
  const bad = /\0|\p{Surrogate}/u.exec(text);
  if (bad !== null) {
    const what = bad[0] === '\0' ? 'a NUL character' : 'half of a surrogate pair';
    throw new ServiceError(
      'parameter.invalid',
      `The parameter ${language} holds ${what} at character ${bad.index + 1}.`,
      {
        errors: [{ parameter: language, rule: 'text' }],
      },
    );
  }
}
