import { type FormatVerb, writtenTypes } from '../../../googlesql/functions/formatText.ts';
import { INT64, type SqlType } from '../../../googlesql/types.ts';
import { readMember, wholeNumber } from '../emit/jsonRead.ts';
import { floatText, scalarText } from './scalarText.ts';
import { bind } from './sqlFragments.ts';

/** Converts a nested value, or a number computed from one, to the type that the verb writes. */
export function readAs(
  verb: FormatVerb,
  value: string,
  type: SqlType,
): { readonly value: string; readonly type: SqlType } {
  const kind = writtenTypes[verb];
  if (kind !== undefined && type.kind === 'JSON') return { value: readMember(value, [], kind, false), type: { kind } };
  if (kind === 'INT64' && type.kind === 'FLOAT64' && type.isNested)
    return { value: bind([value], (number = '') => wholeNumber(number)), type: INT64 };
  return { value, type };
}

/**
 * A value as %t writes it: like CAST to STRING, 1.0 for a whole FLOAT64, and the same for elements of arrays and
 * structs.
 */
export function plainText(value: string, type: SqlType, depth = 0): string {
  switch (type.kind) {
    case 'ARRAY':
      return listed(value, depth, (element) => plainText(element, type.element, depth + 1));
    case 'STRUCT':
      return `'(' || ${fieldsText(value, type, (field, fieldType) => plainText(field, fieldType, depth))} || ')'`;
    case 'FLOAT64':
      return `CASE WHEN isnan(${value}) THEN 'nan' ELSE ${floatWithPoint(value)} END`;
    case 'BYTES':
      return byteEscapes(value, '');
    case 'JSON':
      return nestedText(value, (text) => text, `CAST(${value} AS VARCHAR)`);
    default:
      return scalarText(value, type);
  }
}

/** A value as %T writes it: as a GoogleSQL literal. */
export function literalText(value: string, type: SqlType, depth = 0): string {
  switch (type.kind) {
    case 'ARRAY':
      return listed(value, depth, (element) => literalText(element, type.element, depth + 1));
    case 'STRUCT': {
      const start = type.fields.length < 2 ? 'STRUCT(' : '(';
      return `'${start}' || ${fieldsText(value, type, (field, fieldType) => literalText(field, fieldType, depth))} || ')'`;
    }
    case 'STRING':
      return quotedText(value);
    case 'FLOAT64':
      return `CASE WHEN isfinite(${value}) THEN ${floatWithPoint(value)} WHEN ${value} IS NOT NULL THEN 'CAST("' || ${floatWithoutNumber(value)} || '" AS FLOAT64)' END`;
    case 'BYTES':
      return `'b"' || ${byteEscapes(value, '"')} || '"'`;
    case 'TIMESTAMP':
    case 'DATETIME':
    case 'DATE':
    case 'TIME':
      return `'${type.kind} "' || ${scalarText(value, type)} || '"'`;
    case 'INTERVAL':
      return `'INTERVAL "' || ${scalarText(value, type)} || '" YEAR TO SECOND'`;
    case 'JSON':
      return nestedText(value, quotedText, `'JSON ' || ${quotedText(`CAST(${value} AS VARCHAR)`)}`);
    default:
      return scalarText(value, type);
  }
}

function listed(value: string, depth: number, text: (element: string) => string): string {
  const element = `e${depth}`;
  const texts = `list_transform(${value}, lambda ${element}: coalesce(${text(element)}, 'NULL'))`;
  return `CASE WHEN ${value} IS NOT NULL THEN '[' || coalesce(array_to_string(${texts}, ', '), '') || ']' END`;
}

function fieldsText(
  value: string,
  type: Extract<SqlType, { kind: 'STRUCT' }>,
  text: (field: string, type: SqlType) => string,
): string {
  const fields = type.fields.map(
    (field, i) => `coalesce(${text(`struct_extract(${value}, 'f${i}')`, field.type)}, 'NULL')`,
  );
  const joined = fields.length === 0 ? "''" : fields.join(" || ', ' || ");
  return `CASE WHEN ${value} IS NOT NULL THEN ${joined} END`;
}

/**
 * A nested value has its own type (googlesql.md, section 2): a string is a text, a number or boolean is written
 * unchanged, and anything else is `otherwise`.
 */
function nestedText(value: string, ofText: (text: string) => string, otherwise: string): string {
  const json = `CAST(${value} AS VARCHAR)`;
  const text = bind([readMember(value, [], 'STRING', false)], (string = '') => ofText(string));
  return `CASE WHEN starts_with(${json}, '"') THEN ${text} WHEN left(${json}, 1) IN ('{', '[') THEN ${otherwise} ELSE ${json} END`;
}

/** A FLOAT64 shows its type: 1.0, and the sign of -0.0. */
const floatWithPoint = (value: string): string => {
  const text = floatText(value);
  return `CASE WHEN ${value} = 0 THEN CAST(${value} AS VARCHAR) WHEN regexp_full_match(${text}, '-?[0-9]+') THEN ${text} || '.0' ELSE ${text} END`;
};

/** For NaN and infinities; NULL stays NULL. */
const floatWithoutNumber = (value: string): string =>
  `CASE WHEN isnan(${value}) THEN 'nan' WHEN ${value} > 0 THEN 'inf' ELSE '-inf' END`;

/** Double quotes, or single quotes if the text has only double quotes. */
function quotedText(value: string): string {
  const escaped = `replace(replace(replace(replace(${value}, '\\', '\\\\'), chr(10), '\\n'), chr(13), '\\r'), chr(9), '\\t')`;
  return `CASE WHEN contains(${value}, '"') AND NOT contains(${value}, '''') THEN '''' || ${escaped} || '''' ELSE '"' || replace(${escaped}, '"', '\\"') || '"' END`;
}

/** Bytes that are not printable ASCII as \\xNN. */
function byteEscapes(value: string, quote: '' | '"'): string {
  const code = "CAST('0x' || h AS INTEGER)";
  const special = quote === '' ? '' : `WHEN ${code} IN (34, 92) THEN '\\' || chr(${code}) `;
  const byte = `CASE ${special}WHEN ${code} BETWEEN 32 AND 126 THEN chr(${code}) ELSE '\\x' || lower(h) END`;
  return `CASE WHEN ${value} IS NOT NULL THEN coalesce(array_to_string(list_transform(regexp_extract_all(hex(${value}), '..'), lambda h: ${byte}), ''), '') END`;
}
