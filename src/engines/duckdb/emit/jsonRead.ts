import { assertNever } from '../../../core/assertNever.ts';
import type { ScalarTypeName, SqlType } from '../../../googlesql/types.ts';
import { bind, bindInLambda, withoutJsonNull } from '../functions/sqlFragments.ts';
import { quoteText } from './literal.ts';

/**
 * Reads a member of JSON text as what its place asks for; NULL where it is missing, null or cannot
 * be read so (googlesql.md, section 2). `base` is SQL of a JSON or VARCHAR value.
 *
 * `passesArrays`: whether a step may meet a one-element array of an object, which counts as that
 * object. False where the members on the way are known to be objects.
 */
export function readMember(
  base: string,
  path: readonly string[],
  wanted: ScalarTypeName,
  passesArrays: boolean,
): string {
  if (path.length === 0 && wanted === 'JSON') return base;
  // The base may be an expression of any length: it stands in the text once.
  return bind([base], (value = '') => memberAt(value, path, wanted, passesArrays));
}

function memberAt(base: string, path: readonly string[], wanted: ScalarTypeName, passesArrays: boolean): string {
  if (path.length === 0) return fromScalar(scalarText(base, '$'), wanted);
  const last = path.length - 1;
  // Only plain names can stand in one JSONPath: in a quoted step DuckDB still reads `*` as a wildcard.
  const isPlain = path.every((step) => plainName.test(step));
  const direct = isPlain
    ? readAt(base, `$${path.map((step) => `."${step}"`).join('')}`, wanted)
    : readAt(path.slice(0, last).reduce(memberOf, base), locate(path[last] ?? ''), wanted);
  if (path.length === 1 || !passesArrays) return direct;
  const parent = path.slice(0, last).reduce((value, step) => onlyElement(memberOf(value, step)), base);
  const stepwise = readAt(parent, locate(path[last] ?? ''), wanted);
  return `coalesce(${direct}, CASE WHEN contains(CAST(${base} AS VARCHAR), '[{') THEN ${stepwise} END)`;
}

const plainName = /^[A-Za-z0-9_ -]+$/;

/** One member as JSONPath, or as JSON Pointer (RFC 6901) where its name has characters that mean something in a path. */
function locate(step: string): string {
  return plainName.test(step) ? `$."${step}"` : `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function memberOf(value: string, step: string): string {
  return `json_extract(${value}, ${quoteText(locate(step))})`;
}

function readAt(base: string, at: string, wanted: ScalarTypeName): string {
  if (wanted === 'JSON') return withoutJsonNull(`json_extract(${base}, ${quoteText(at)})`);
  return fromScalar(scalarText(base, at), wanted);
}

/** As `fromScalarText`, of a text that is found by reading JSON: it is found once, whatever is made of it. */
function fromScalar(text: string, wanted: ScalarTypeName): string {
  if (wanted !== 'FLOAT64' && wanted !== 'INT64' && wanted !== 'BOOL') return fromScalarText(text, wanted);
  return bindInLambda([text], (found = '') => fromScalarText(found, wanted));
}

/** The text of a scalar: a string without its quotes, a number or boolean as written; NULL for anything else. */
function scalarText(base: string, at: string): string {
  return `json_extract_string(json_value(${base}, ${quoteText(at)}), '$')`;
}

/** A JSON array of exactly one element counts as that element on the way to a member. */
export function onlyElement(value: string): string {
  return bind(
    [value],
    (v = '') => `CASE WHEN json_array_length(${v}) = 1 THEN json_extract(${v}, '$[0]') ELSE ${v} END`,
  );
}

/** Reads the text of a scalar as a type. */
export function fromScalarText(text: string, wanted: ScalarTypeName): string {
  switch (wanted) {
    case 'STRING':
      return text;
    case 'FLOAT64':
      return numberOf(text);
    case 'INT64':
      return `CASE WHEN regexp_full_match(${text}, '[+-]?[0-9]{1,19}') THEN try_cast(${text} AS BIGINT) WHEN ${numberOf(text)} = trunc(${numberOf(text)}) AND abs(${numberOf(text)}) < 9007199254740992 THEN CAST(${numberOf(text)} AS BIGINT) END`;
    case 'BOOL':
      return `CASE lower(${text}) WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END`;
    case 'TIMESTAMP':
      // The engine's session is in UTC, so text without a zone is UTC.
      return `CAST(try_cast(${text} AS TIMESTAMPTZ) AS TIMESTAMP)`;
    case 'DATETIME':
      return `try_cast(regexp_replace(${text}, '[Zz]$', '') AS TIMESTAMP)`;
    case 'DATE':
      return `try_cast(${text} AS DATE)`;
    case 'TIME':
      return `try_cast(${text} AS TIME)`;
    case 'BYTES':
      return `encode(${text})`;
    case 'INTERVAL':
      return `try_cast(${text} AS INTERVAL)`;
    case 'JSON':
      return `to_json(${text})`;
    default:
      return assertNever(wanted);
  }
}

/** DuckDB reads `inf`, `nan` and `1_000` as numbers; none is a number in a log. */
function numberOf(text: string): string {
  return `CASE WHEN isfinite(try_cast(${text} AS DOUBLE)) AND NOT contains(${text}, '_') THEN try_cast(${text} AS DOUBLE) END`;
}

/** A FLOAT64 as INT64; NULL where it has a fraction or may not be exact. */
export function wholeNumber(number: string): string {
  return `CASE WHEN ${number} = trunc(${number}) AND abs(${number}) < 9007199254740992 THEN CAST(${number} AS BIGINT) END`;
}

/** A value of a type as what its place asks for, as if it were read from JSON. `sql` is short: it stands in the text more than once. */
export function convertTyped(type: SqlType, sql: string, wanted: ScalarTypeName): string {
  switch (type.kind) {
    case 'STRING':
      if (wanted === 'JSON') return `CASE WHEN ${sql} IS NOT NULL THEN to_json(${sql}) END`;
      return fromScalarText(sql, wanted);
    case 'INT64':
      if (wanted === 'INT64') return sql;
      if (wanted === 'FLOAT64') return `CAST(${sql} AS DOUBLE)`;
      if (wanted === 'JSON') return `CAST(CAST(${sql} AS VARCHAR) AS JSON)`;
      return fromScalarText(`CAST(${sql} AS VARCHAR)`, wanted);
    case 'FLOAT64': {
      if (wanted === 'FLOAT64') return sql;
      // As it is read from metadata: VARCHAR would say `1e-05`, and JSON of a whole number ends in `.0`. Those beyond 2^53 are
      // only in columns that former versions wrote.
      const json = `regexp_replace(CAST(to_json(${sql}) AS VARCHAR), '[.]0$', '')`;
      const text = `CASE WHEN ${sql} = trunc(${sql}) AND abs(${sql}) < 9007199254740992 THEN CAST(CAST(${sql} AS BIGINT) AS VARCHAR) ELSE ${json} END`;
      if (wanted === 'JSON') return `CAST(${text} AS JSON)`;
      return fromScalarText(text, wanted);
    }
    default:
      throw new Error(`no typed column is a ${type.kind}`);
  }
}
