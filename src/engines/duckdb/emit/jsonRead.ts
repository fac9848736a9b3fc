import { assertNever } from '../../../core/assertNever.ts';
import type { ScalarTypeName, SqlType } from '../../../googlesql/types.ts';
import { bind, bindInLambda, withoutJsonNull } from '../functions/sqlFragments.ts';
import { quoteText } from './literal.ts';

/**
 * Reads a member of JSON text as the type that its place requires; NULL if it is missing, null or not readable as that
 * type (googlesql.md, section 2). `base` is SQL of a JSON or VARCHAR value.
 *
 * `passesArrays`: whether a step may meet an array with one object, which counts as that object. False if the members
 * on the path are known to be objects.
 */
export function readMember(
  base: string,
  path: readonly string[],
  wanted: ScalarTypeName,
  passesArrays: boolean,
): string {
  if (path.length === 0 && wanted === 'JSON') return base;
  // The base may be an expression of any length, so it is written only once.
  return bind([base], (value = '') => memberAt(value, path, wanted, passesArrays));
}

function memberAt(base: string, path: readonly string[], wanted: ScalarTypeName, passesArrays: boolean): string {
  if (path.length === 0) return fromScalar(scalarText(base, '$'), wanted);
  const last = path.length - 1;
  // Only plain names may share one JSONPath: even in a quoted step, DuckDB reads `*` as a wildcard.
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

/**
 * Addresses one member by JSONPath, or by JSON Pointer (RFC 6901) if its name has characters with a meaning in a path.
 */
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

/** Like `fromScalarText`, for a text that is read from JSON: it is read only once. */
function fromScalar(text: string, wanted: ScalarTypeName): string {
  if (wanted !== 'FLOAT64' && wanted !== 'INT64' && wanted !== 'BOOL') return fromScalarText(text, wanted);
  return bindInLambda([text], (found = '') => fromScalarText(found, wanted));
}

/** Text of a scalar: a string without its quotes, a number or boolean as written; NULL for anything else. */
function scalarText(base: string, at: string): string {
  return `json_extract_string(json_value(${base}, ${quoteText(at)}), '$')`;
}

/** On the way to a member, a JSON array with exactly one element counts as that element. */
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
      // The engine's session is in UTC, so a text without a zone is UTC.
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

/** DuckDB reads `inf`, `nan` and `1_000` as numbers, but they are not numbers in a log. */
function numberOf(text: string): string {
  return `CASE WHEN isfinite(try_cast(${text} AS DOUBLE)) AND NOT contains(${text}, '_') THEN try_cast(${text} AS DOUBLE) END`;
}

/** Converts a FLOAT64 to INT64; NULL if it has a fraction or may be inexact. */
export function wholeNumber(number: string): string {
  return `CASE WHEN ${number} = trunc(${number}) AND abs(${number}) < 9007199254740992 THEN CAST(${number} AS BIGINT) END`;
}

/** Converts a typed value as if it were read from JSON. `sql` must be short, because it is written several times. */
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
      // Same text as in metadata: VARCHAR would write `1e-05`, and the JSON of a whole number ends in `.0`. Numbers
      // beyond 2^53 occur only in columns that older versions wrote.
      const json = `regexp_replace(CAST(to_json(${sql}) AS VARCHAR), '[.]0$', '')`;
      const text = `CASE WHEN ${sql} = trunc(${sql}) AND abs(${sql}) < 9007199254740992 THEN CAST(CAST(${sql} AS BIGINT) AS VARCHAR) ELSE ${json} END`;
      if (wanted === 'JSON') return `CAST(${text} AS JSON)`;
      return fromScalarText(text, wanted);
    }
    default:
      throw new Error(`no typed column is a ${type.kind}`);
  }
}
