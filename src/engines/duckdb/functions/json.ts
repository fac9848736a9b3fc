import { JsonSyntaxError } from '../../../core/jsonSyntaxError.ts';
import { parseJson } from '../../../core/losslessJson.ts';
import { hasOnlyFiniteNumbers, writeJson } from '../../../core/writeJson.ts';
import type { jsonFunctions } from '../../../googlesql/functions/json.ts';
import { type JsonPathStep, parseJsonPath } from '../../../googlesql/functions/jsonPath.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import { quoteText } from '../emit/literal.ts';
import type { EmitContext, EmitFunction, ScalarEmitters } from './emitContext.ts';
import { jsonKeys } from './jsonKeys.ts';
import { jsonObject, jsonOf } from './jsonObject.ts';
import { jsonText, presentJsonText } from './jsonText.ts';
import { holdsNoNumber, isStrictJson } from './jsonValidity.ts';
import { prettyJsonText, prettyLevelsMax } from './prettyJsonText.ts';
import { floatText } from './scalarText.ts';
import {
  argument,
  bind,
  bindInLambda,
  constantText,
  failedCall,
  failure,
  grownTextBytesMax,
  notLonger,
  withoutJsonNull,
} from './sqlFragments.ts';

/** Applies a constant path; `read` gets JSON and a quoted path of the engine. NULL for text that is not JSON. */
const atPath =
  (read: (json: string, path: string, context: EmitContext) => string) =>
  (form: 'standard' | 'legacy'): EmitFunction =>
  (args, context) => {
    if (args.length > 1 && context.constants[1] === null)
      return `CASE WHEN FALSE THEN ${read(argument(args, 0), "'$'", context)} END`;
    const text = args.length > 1 ? constantText(context, 1) : '$';
    if (text === undefined) return failedCall(context, 'The JSON path must be a literal or a parameter.');
    const path = parseJsonPath(text, form);
    if (path.kind === 'invalid') return failedCall(context, path.sentence);
    return bind([argument(args, 0)], (json = '') => {
      const { base, rest } = located(json, path.steps);
      const value = read(base, quoteText(rest), context);
      return context.argTypes[0]?.kind === 'JSON' ? value : `CASE WHEN json_valid(${json}) THEN ${value} END`;
    });
  };

/** Reads names that have a meaning in the engine's paths even when quoted one by one with JSON Pointer (RFC 6901). */
function located(json: string, steps: readonly JsonPathStep[]): { readonly base: string; readonly rest: string } {
  let base = json;
  let rest = '$';
  for (const step of steps) {
    if (step.kind === 'element') rest += `[${step.index}]`;
    else if (/^[^"\\*]+$/.test(step.name)) rest += `."${step.name}"`;
    else {
      const pointer = `/${step.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      base = `json_extract(${rest === '$' ? base : `json_extract(${base}, ${quoteText(rest)})`}, ${quoteText(pointer)})`;
      rest = '$';
    }
  }
  return { base, rest };
}

const scalarAt = atPath((json, path, context) => {
  const found = `json_value(${json}, ${path})`;
  if (context.argTypes[0]?.kind === 'JSON') return `json_extract_string(${found}, '$')`;
  return bind([found], (value) => `CASE WHEN NOT ${noNumberAlone(value)} THEN json_extract_string(${value}, '$') END`);
});

/** An unquoted scalar that is not JSON: NaN and the infinities, which the engine reads as numbers. */
const noNumberAlone = (value = ''): string => `regexp_matches(CAST(${value} AS VARCHAR), '^-?[nNiI]')`;

const queryAt = atPath((json, path, context) => {
  const found = withoutJsonNull(`json_extract(${json}, ${path})`);
  if (context.returns.kind === 'JSON') return found;
  return bind([`CAST(${found} AS VARCHAR)`], (text = '') => `CASE WHEN NOT ${holdsNoNumber(text)} THEN ${text} END`);
});

const elementsOf = (json: string, path: string): string =>
  `CAST(json_extract(json_extract(${json}, ${path}), '$[*]') AS JSON[])`;

const whenArray = (json: string, path: string, value: string): string =>
  `CASE WHEN json_type(json_extract(${json}, ${path})) = 'ARRAY' THEN ${value} END`;

/** NULL if an element is not a scalar. */
const textsAt = atPath((json, path) => {
  const elements = elementsOf(json, path);
  const nested = `list_filter(${elements}, lambda e: json_type(e) IN ('OBJECT', 'ARRAY'))`;
  const texts = `list_transform(${elements}, lambda e: json_extract_string(e, '$'))`;
  return whenArray(json, path, `CASE WHEN len(${nested}) = 0 THEN ${texts} END`);
});

const partsAt = atPath((json, path, context) => {
  const isJson = context.argTypes[0]?.kind === 'JSON';
  const element = isJson ? withoutJsonNull('e') : 'CAST(e AS VARCHAR)';
  return whenArray(json, path, `list_transform(${elementsOf(json, path)}, lambda e: ${element})`);
});

const text = (json: string): string => `json_extract_string(${json}, '$')`;
const numberTypes = "('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')";
const integerForm = "'-?[0-9]{1,19}'";

/** Half away from zero; NULL beyond INT64. */
const roundedInteger = (number: string): string => `TRY_CAST(round(TRY_CAST(${number} AS DOUBLE)) AS BIGINT)`;
const exactInteger = (json: string): string =>
  `CASE WHEN regexp_full_match(${text(json)}, ${integerForm}) THEN TRY_CAST(${text(json)} AS BIGINT) END`;

const strict =
  (name: string, isFitting: (json: string) => string, value: (json: string) => string): EmitFunction =>
  (args, context) =>
    bind(args, (json = '') => {
      const wrong = failure(
        context,
        `${name} found a JSON value of another type. LAX_${name} converts it if possible.`,
      );
      return `CASE WHEN ${json} IS NULL THEN NULL WHEN ${isFitting(json)} THEN ${value(json)} ELSE ${wrong} END`;
    });

export const jsonString = strict('STRING', (json) => `json_type(${json}) = 'VARCHAR'`, text);

const wholeNumber = (json: string): string =>
  `coalesce(${exactInteger(json)}, CASE WHEN TRY_CAST(${text(json)} AS DOUBLE) = trunc(TRY_CAST(${text(json)} AS DOUBLE)) THEN TRY_CAST(TRY_CAST(${text(json)} AS DOUBLE) AS BIGINT) END)`;

const mayHoldText = ({ kind }: SqlType): boolean => kind === 'STRING' || kind === 'ARRAY' || kind === 'STRUCT';

/** TO_JSON_STRING(value, pretty); NULL if `pretty` is NULL. */
function prettyText(args: readonly string[], type: SqlType, context: EmitContext): string {
  const wrong = failure(
    context,
    `The result of TO_JSON_STRING with lines of its own could have more than ${grownTextBytesMax} bytes, or a JSON value in it has more than ${prettyLevelsMax} levels.`,
  );
  const compact = (value: string): string => jsonText(value, type, 'text');
  const pretty = (value: string): string => prettyJsonText(value, type, wrong);
  const asked = context.constants[1];
  if (asked === null) return 'CAST(NULL AS VARCHAR)';
  const text =
    typeof asked === 'boolean'
      ? bindInLambda(args.slice(0, 1), (value = '') => (asked ? pretty(value) : compact(value)))
      : bindInLambda(
          args,
          (value = '', isAsked = '') =>
            `CASE WHEN ${isAsked} THEN ${pretty(value)} WHEN NOT ${isAsked} THEN ${compact(value)} END`,
        );
  return notLonger(text, context, 'TO_JSON_STRING');
}

/**
 * The text for PARSE_JSON. GoogleSQL keeps the first of several members with one name. A constant text is rewritten
 * that way; in other text the engine finds the first, but keeps all.
 */
function withFirstMembers(args: readonly string[], context: EmitContext): string {
  const text = constantText(context, 0);
  const once = text === undefined ? null : withoutRepeatedMembers(text);
  return once === null ? argument(args, 0) : quoteText(once);
}

/** Null for text without repeated members, and for text that is not JSON. */
function withoutRepeatedMembers(text: string): string | null {
  try {
    parseJson(text, { duplicateKeys: 'error' });
    return null;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (error.problem !== 'duplicate_key') return null;
  }
  try {
    const value = parseJson(text, { duplicateKeys: 'first' });
    return hasOnlyFiniteNumbers(value) ? writeJson(value) : null;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return null;
    throw error;
  }
}

export const jsonEmitters: ScalarEmitters<typeof jsonFunctions> = {
  json_value: scalarAt('standard'),
  json_extract_scalar: scalarAt('legacy'),
  json_query: queryAt('standard'),
  json_extract: queryAt('legacy'),
  json_value_array: textsAt('standard'),
  json_extract_string_array: textsAt('legacy'),
  json_query_array: partsAt('standard'),
  json_extract_array: partsAt('legacy'),
  parse_json: (args, context) =>
    bind([withFirstMembers(args, context)], (json = '') => {
      const wrong = failure(context, 'PARSE_JSON needs valid JSON text. SAFE.PARSE_JSON returns NULL for other text.');
      return `CASE WHEN ${json} IS NULL THEN NULL WHEN ${isStrictJson(json)} THEN CAST(nullif(CAST(json(${json}) AS VARCHAR), 'null') AS JSON) ELSE ${wrong} END`;
    }),
  to_json: (args, context) => {
    const type = context.argTypes[0] ?? { kind: 'NULL' };
    const text = bind(args, (value = '') => presentJsonText(value, type, 'value'));
    // As in TO_JSON_STRING: escapes can double the text in every step of a query.
    return `CAST(${mayHoldText(type) ? notLonger(text, context, 'TO_JSON') : text} AS JSON)`;
  },
  to_json_string: (args, context) => {
    const type = context.argTypes[0] ?? { kind: 'NULL' };
    if (args.length > 1) return prettyText(args, type, context);
    const text = bind(args, (value = '') => jsonText(value, type, 'text'));
    // Quotes and backslashes are escaped, which can double the text in every step of a query.
    return type.kind === 'JSON' ? text : notLonger(text, context, 'TO_JSON_STRING');
  },
  json_object: jsonObject,
  json_array: (args, context) =>
    jsonOf(
      '[]',
      args.map((_, index) => ({ before: '', index })),
      'JSON_ARRAY',
      [args, context],
    ),
  json_type: (args) =>
    bind(
      args,
      (json) =>
        `CASE json_type(${json}) WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'NULL' THEN 'null' ELSE CASE WHEN ${json} IS NOT NULL THEN 'number' END END`,
    ),
  json_keys: jsonKeys,
  lax_bool: (args) =>
    bind(
      args,
      (json = '') =>
        `CASE WHEN json_type(${json}) IN ('BOOLEAN', 'VARCHAR') THEN CASE lower(${text(json)}) WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END WHEN json_type(${json}) IN ${numberTypes} THEN CAST(${text(json)} AS DOUBLE) <> 0 END`,
    ),
  lax_int64: (args) =>
    bind(
      args,
      (json = '') =>
        `CASE WHEN json_type(${json}) = 'BOOLEAN' THEN CASE WHEN ${text(json)} = 'true' THEN 1 ELSE 0 END WHEN json_type(${json}) = 'VARCHAR' OR json_type(${json}) IN ${numberTypes} THEN coalesce(${exactInteger(json)}, ${roundedInteger(text(json))}) END`,
    ),
  lax_float64: (args) =>
    bind(
      args,
      (json = '') =>
        `CASE WHEN json_type(${json}) = 'VARCHAR' OR json_type(${json}) IN ${numberTypes} THEN TRY_CAST(CASE WHEN NOT contains(${text(json)}, '_') THEN ${text(json)} END AS DOUBLE) END`,
    ),
  lax_string: (args) =>
    bind(
      args,
      (json = '') =>
        `CASE json_type(${json}) WHEN 'OBJECT' THEN NULL WHEN 'ARRAY' THEN NULL WHEN 'DOUBLE' THEN ${floatText(`TRY_CAST(${text(json)} AS DOUBLE)`)} ELSE ${text(json)} END`,
    ),
  bool: strict(
    'BOOL',
    (json) => `json_type(${json}) = 'BOOLEAN'`,
    (json) => `(${text(json)} = 'true')`,
  ),
  int64: strict(
    'INT64',
    (json) => `json_type(${json}) IN ${numberTypes} AND ${wholeNumber(json)} IS NOT NULL`,
    wholeNumber,
  ),
  float64: strict(
    'FLOAT64',
    (json) => `json_type(${json}) IN ${numberTypes}`,
    (json) => `CAST(${text(json)} AS DOUBLE)`,
  ),
};
