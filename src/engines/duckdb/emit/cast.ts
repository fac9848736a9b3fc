import type { CastExpr } from '../../../googlesql/resolve/tree.ts';
import { type SqlType, sameType, typeName } from '../../../googlesql/types.ts';
import type { EmitContext } from '../functions/emitContext.ts';
import { intervalFromText } from '../functions/intervalText.ts';
import { scalarText } from '../functions/scalarText.ts';
import { bind, bindInLambda, namedField, withoutJsonNull } from '../functions/sqlFragments.ts';
import { civilFromText, timestampFromText } from '../functions/zones.ts';
import { readMember, wholeNumber } from './jsonRead.ts';
import { duckType, quoteText } from './literal.ts';

/**
 * Writes CAST and SAFE_CAST as GoogleSQL defines them ("Conversion rules"). A value that cannot be cast is an error
 * that names the expression, or NULL if the cast is safe.
 */
export function emitCast(cast: CastExpr, value: string): string {
  return converted(cast, value, cast.value.type, cast.type, 0);
}

/** `depth`: number of arrays around the value. */
function converted(cast: CastExpr, value: string, from: SqlType, to: SqlType, depth: number): string {
  if (sameType(from, to)) return value;
  if (from.kind === 'NULL') return `CAST(${value} AS ${duckType(to)})`;
  if (from.kind === 'ARRAY' && to.kind === 'ARRAY') {
    // An array with an element that cannot be cast becomes NULL. With implicit reads, only that element does.
    if (cast.safe && !cast.isImplicit)
      return bindInLambda(
        [value],
        (array = '') => `TRY(${converted({ ...cast, safe: false }, array, from, to, depth)})`,
      );
    const element = `element${depth}`;
    return `list_transform(${value}, lambda ${element}: ${converted(cast, element, from.element, to.element, depth + 1)})`;
  }
  if (from.kind === 'STRUCT' && to.kind === 'STRUCT') {
    const field = (struct: string, i: number, type: SqlType): string =>
      converted(cast, `struct_extract(${struct}, 'f${i}')`, from.fields[i]?.type ?? type, type, depth);
    return bind([value], (struct = '') => {
      const fields = to.fields.map(({ type }, i) => namedField(`f${i}`, field(struct, i, type)));
      return `CASE WHEN ${struct} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END`;
    });
  }
  if (cast.isImplicit && from.kind === 'FLOAT64' && to.kind === 'INT64')
    return bind([value], (number = '') => wholeNumber(number));
  if (cast.isImplicit && from.kind === 'JSON' && to.kind !== 'ARRAY' && to.kind !== 'STRUCT' && to.kind !== 'NULL')
    return readMember(value, [], to.kind, false);
  // The value may be an expression of any length, so it is written only once.
  return bind([value], (known = '') => castKnown(cast, known, from, to));
}

function castKnown(cast: CastExpr, value: string, from: SqlType, to: SqlType): string {
  const attempt = attemptCast(value, from, to);
  if (cast.safe || attempt.neverFails) return attempt.sql;
  const sentence = `CAST of ${cast.label} to ${typeName(cast.type)} failed on a value that cannot be read so; write SAFE_CAST to get NULL instead`;
  const message = `logmill:${cast.pos.line}:${cast.pos.column}:${sentence}`;
  return `CASE WHEN ${value} IS NOT NULL THEN coalesce(${attempt.sql}, error(${quoteText(message)})) END`;
}

/** A call whose errors are NULL; the failed cast itself reports the error. */
const silent = (returns: SqlType): EmitContext => ({
  argTypes: [],
  returns,
  constants: [],
  fail: () => 'NULL',
  failWith: () => 'NULL',
  safe: true,
});

interface Attempt {
  /** NULL for a value that cannot be cast. */
  readonly sql: string;
  readonly neverFails?: true;
}

function attemptCast(value: string, from: SqlType, to: SqlType): Attempt {
  if (from.kind === 'JSON') return castJson(value, to);
  switch (to.kind) {
    case 'STRING':
      return castToText(value, from);
    case 'INT64':
      return castToInteger(value, from);
    case 'FLOAT64':
      if (from.kind === 'STRING')
        return { sql: `try_cast(CASE WHEN NOT contains(${value}, '_') THEN ${value} END AS DOUBLE)` };
      return { sql: `CAST(${value} AS DOUBLE)`, neverFails: true };
    case 'BOOL':
      if (from.kind === 'STRING')
        return { sql: `CASE lower(${value}) WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END` };
      return { sql: `(${value} <> 0)`, neverFails: true };
    case 'BYTES':
      return { sql: `encode(${value})`, neverFails: true };
    case 'TIMESTAMP':
      if (from.kind === 'STRING') return { sql: timestampFromText(value, [value], 1, silent(to)) };
      return { sql: `CAST(${value} AS TIMESTAMP)`, neverFails: true };
    case 'DATETIME':
    case 'DATE':
    case 'TIME':
      if (from.kind === 'STRING') return { sql: civilFromText(value, to.kind, silent(to)) };
      return { sql: `CAST(${value} AS ${duckType(to)})`, neverFails: true };
    case 'INTERVAL':
      return { sql: intervalFromText(value) };
    case 'JSON':
      return { sql: `to_json(${value})`, neverFails: true };
    default:
      return { sql: `try_cast(${value} AS ${duckType(to)})` };
  }
}

/** A JSON scalar is cast like the SQL value that it represents: a number as a number, text as text. */
function castJson(value: string, to: SqlType): Attempt {
  const text = `json_extract_string(json_value(${value}, '$'), '$')`;
  if (to.kind === 'STRING') return { sql: text };
  if (to.kind === 'ARRAY') return { sql: jsonElements(value, to.element) };
  const isText = `starts_with(CAST(${value} AS VARCHAR), '"')`;
  const fromInteger = `try_cast(CASE WHEN regexp_full_match(${text}, '-?[0-9]{1,19}') THEN ${text} END AS BIGINT)`;
  if (to.kind === 'INT64') {
    const fromText = castToInteger(text, { kind: 'STRING' }).sql;
    const fromNumber = castToInteger(`try_cast(${text} AS DOUBLE)`, { kind: 'FLOAT64' }).sql;
    return { sql: `CASE WHEN ${isText} THEN ${fromText} ELSE coalesce(${fromInteger}, ${fromNumber}) END` };
  }
  const fromText = attemptCast(text, { kind: 'STRING' }, to).sql;
  // Numbers that are an INT64 can be cast to BOOL, a FLOAT64 cannot.
  if (to.kind === 'BOOL') return { sql: `coalesce(${fromText}, CASE WHEN NOT ${isText} THEN ${fromInteger} <> 0 END)` };
  return { sql: fromText };
}

/** The elements of a JSON array, each read as the requested type; an object counts as an array of one. */
function jsonElements(value: string, element: SqlType): string {
  if (element.kind === 'ARRAY' || element.kind === 'STRUCT' || element.kind === 'NULL') {
    throw new Error(`a JSON array cannot be read as an array of ${element.kind}`);
  }
  const each = readMember('element', [], element.kind, false);
  const read = element.kind === 'JSON' ? withoutJsonNull('element') : each;
  const elements = `CASE json_type(${value}) WHEN 'ARRAY' THEN json_extract(${value}, '$[*]') WHEN 'OBJECT' THEN [CAST(${value} AS JSON)] END`;
  return `list_transform(${elements}, lambda element: ${read})`;
}

function castToText(value: string, from: SqlType): Attempt {
  switch (from.kind) {
    case 'FLOAT64':
      return {
        sql: `CASE WHEN isnan(${value}) THEN 'nan' WHEN ${value} IS NOT NULL THEN ${scalarText(value, from)} END`,
        neverFails: true,
      };
    case 'BYTES':
      return { sql: `CASE WHEN ${value} IS NOT NULL THEN try(decode(${value})) END` };
    default:
      return { sql: scalarText(value, from), neverFails: true };
  }
}

/** Rounds half away from zero, as GoogleSQL does; DuckDB's own cast rounds half to even. */
function castToInteger(value: string, from: SqlType): Attempt {
  if (from.kind === 'FLOAT64') {
    return { sql: `try_cast(CASE WHEN isfinite(${value}) THEN round(${value}) END AS BIGINT)` };
  }
  if (from.kind === 'BOOL') return { sql: `CAST(${value} AS BIGINT)`, neverFails: true };
  if (from.kind === 'STRING') {
    const trimmed = `trim(${value})`;
    const decimal = `CASE WHEN regexp_full_match(${trimmed}, '[+-]?[0-9]{1,19}') THEN try_cast(${trimmed} AS BIGINT) END`;
    // Reads the digits with more than 64 bits, because the smallest INT64 has no positive counterpart in 64 bits.
    const digits = `CAST(try_cast(regexp_replace(lower(${trimmed}), '^[+-]', '') AS UBIGINT) AS HUGEINT)`;
    const signed = `CASE WHEN starts_with(${trimmed}, '-') THEN -${digits} ELSE ${digits} END`;
    const hex = `CASE WHEN regexp_full_match(${trimmed}, '[+-]?0[xX][0-9a-fA-F]{1,16}') THEN try_cast(${signed} AS BIGINT) END`;
    return { sql: `coalesce(${decimal}, ${hex})` };
  }
  return { sql: `try_cast(${value} AS BIGINT)` };
}
