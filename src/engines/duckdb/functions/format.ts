import { INT64, type SqlType } from '../../../googlesql/types.ts';
import { readMember, wholeNumber } from '../emit/jsonRead.ts';
import { quoteText } from '../emit/literal.ts';
import type { EmitContext, EmitFunction } from './emitContext.ts';
import { floatText, scalarText } from './scalarText.ts';
import { argument, bind, constantText, failedCall, joinedText } from './sqlText.ts';

const widthMax = 10_000;
const specifier = /%([-+ 0#']*)(\d+)?(?:\.(\d+))?([a-zA-Z%*])/g;

/**
 * FORMAT with a constant format: %d %i (INT64), %x %X %o (INT64), %f %F %e %E %g %G (FLOAT64), %s (STRING),
 * %t (any value as text), %T (as a literal), %p (JSON), %%. A NULL for any but %t and %T makes the result NULL.
 */
export const emitFormat: EmitFunction = (args, context) => {
  const format = constantText(context, 0);
  if (context.constants[0] === null) return 'CAST(NULL AS VARCHAR)';
  if (format === undefined) return failedCall(context, 'The format of FORMAT must be a literal.');
  const pieces: string[] = [];
  let at = 0;
  let used = 1;
  for (const match of format.matchAll(specifier)) {
    const [whole, flags = '', width = '', precision, verb = ''] = match;
    const before = format.slice(at, match.index);
    if (before.includes('%')) return failedCall(context, badFormat);
    if (before !== '') pieces.push(quoteText(before));
    at = match.index + whole.length;
    if (verb === '%') {
      pieces.push("'%'");
      continue;
    }
    if (Number(width) > widthMax || Number(precision ?? 0) > widthMax) {
      return failedCall(context, `Widths and precisions in FORMAT go up to ${widthMax}.`);
    }
    const type = context.argTypes[used];
    if (type === undefined || used >= args.length)
      return failedCall(context, 'FORMAT has more specifiers than values.');
    const read = readAs(verb, argument(args, used), type);
    const piece = emitPiece(verb, { flags, width, precision }, read.value, read.type, context);
    if (piece === undefined) {
      return failedCall(context, `FORMAT cannot write a value of type ${type.kind} with %${verb}.`);
    }
    pieces.push(piece);
    used++;
  }
  const rest = format.slice(at);
  if (rest.includes('%')) return failedCall(context, badFormat);
  if (used < args.length) return failedCall(context, 'FORMAT has more values than specifiers.');
  if (rest !== '' || pieces.length === 0) pieces.push(quoteText(rest));
  return joinedText(pieces, context, 'FORMAT');
};

/** What verbs write; they read a nested value as that. */
const written: Readonly<Record<string, 'INT64' | 'FLOAT64' | 'STRING'>> = {
  ...{ d: 'INT64', i: 'INT64', x: 'INT64', X: 'INT64', o: 'INT64', s: 'STRING' },
  ...{ f: 'FLOAT64', F: 'FLOAT64', e: 'FLOAT64', E: 'FLOAT64', g: 'FLOAT64', G: 'FLOAT64' },
};

/** A nested value, or a number computed of such, as what the verb writes. */
function readAs(verb: string, value: string, type: SqlType): { readonly value: string; readonly type: SqlType } {
  const kind = written[verb];
  if (kind !== undefined && type.kind === 'JSON') return { value: readMember(value, [], kind, false), type: { kind } };
  if (kind === 'INT64' && type.kind === 'FLOAT64' && type.isNested)
    return { value: bind([value], (number = '') => wholeNumber(number)), type: INT64 };
  return { value, type };
}

const badFormat = 'A specifier of FORMAT is not known. Known are %d %i %x %X %o %f %e %g %s %t %T %p and %%.';

interface Layout {
  readonly flags: string;
  readonly width: string;
  readonly precision: string | undefined;
}

function emitPiece(
  verb: string,
  layout: Layout,
  value: string,
  type: SqlType,
  _context: EmitContext,
): string | undefined {
  const point = layout.precision === undefined ? '' : `.${layout.precision}`;
  switch (verb) {
    case 'd':
    case 'i':
      return type.kind === 'INT64' && point === '' ? `printf('%${quoted(layout)}d', ${value})` : undefined;
    case 'x':
    case 'X':
    case 'o': {
      if (type.kind !== 'INT64' || point !== '') return undefined;
      // The engine writes negative numbers as unsigned; GoogleSQL writes a sign.
      const digits = (number: string): string =>
        `printf('%${layout.flags.replaceAll("'", '')}${layout.width}${verb}', ${number})`;
      return bind([value], (n) => `CASE WHEN ${n} < 0 THEN '-' || ${digits(`-(${n})`)} ELSE ${digits(`${n}`)} END`);
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G': {
      if (type.kind !== 'FLOAT64') return undefined;
      return `printf('%${quoted(layout)}${point}${verb}', ${value})`;
    }
    case 's':
      return type.kind === 'STRING' ? laidOut(value, layout) : undefined;
    case 't':
      return laidOut(`coalesce(${bind([value], (v = '') => plainText(v, type))}, 'NULL')`, layout);
    case 'T':
      return laidOut(`coalesce(${bind([value], (v = '') => literalText(v, type))}, 'NULL')`, layout);
    case 'p':
      return type.kind === 'JSON' ? laidOut(`CAST(${value} AS VARCHAR)`, layout) : undefined;
    default:
      return undefined;
  }
}

/** Thousands are set apart with commas, which the engine calls by another flag. */
const quoted = (layout: Layout): string => `${layout.flags.replaceAll("'", ',')}${layout.width}`;

/** Cut to the precision and filled up with blanks to the width, at the start unless the flag - is there. */
function laidOut(text: string, layout: Layout): string {
  const cut = layout.precision === undefined ? text : `left(${text}, ${layout.precision})`;
  if (layout.width === '') return cut;
  const pad = layout.flags.includes('-') ? 'rpad' : 'lpad';
  return bind(
    [cut],
    (value) =>
      `CASE WHEN length(${value}) >= ${layout.width} THEN ${value} ELSE ${pad}(${value}, ${layout.width}, ' ') END`,
  );
}

/** %t: as CAST to STRING writes it, 1.0 for a whole FLOAT64, arrays and structs with their elements so. */
function plainText(value: string, type: SqlType, depth = 0): string {
  switch (type.kind) {
    case 'ARRAY':
      return listed(value, depth, (element) => plainText(element, type.element, depth + 1));
    case 'STRUCT':
      return `'(' || ${fieldsText(value, type, (field, fieldType) => plainText(field, fieldType, depth))} || ')'`;
    case 'FLOAT64':
      return `CASE WHEN isnan(${value}) THEN 'nan' ELSE ${floatWithPoint(value)} END`;
    case 'BYTES':
      return byteEscapes(value, '');
    default:
      return scalarText(value, type);
  }
}

/** %T: as a literal of the dialect. */
function literalText(value: string, type: SqlType, depth = 0): string {
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
      return `CASE WHEN isfinite(${value}) THEN ${floatWithPoint(value)} ELSE 'CAST("' || ${floatWithoutNumber(value)} || '" AS FLOAT64)' END`;
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
      return `'JSON ' || ${quotedText(`CAST(${value} AS VARCHAR)`)}`;
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

/** A FLOAT64 shows that it is one: 1.0. */
const floatWithPoint = (value: string): string => {
  const text = floatText(value);
  return `CASE WHEN regexp_full_match(${text}, '-?[0-9]+') THEN ${text} || '.0' ELSE ${text} END`;
};

const floatWithoutNumber = (value: string): string =>
  `CASE WHEN isnan(${value}) THEN 'nan' WHEN ${value} > 0 THEN 'inf' ELSE '-inf' END`;

/** In double quotes, in single ones where the text has double but no single quotes. */
function quotedText(value: string): string {
  const escaped = `replace(replace(replace(replace(${value}, '\\', '\\\\'), chr(10), '\\n'), chr(13), '\\r'), chr(9), '\\t')`;
  return `CASE WHEN contains(${value}, '"') AND NOT contains(${value}, '''') THEN '''' || ${escaped} || '''' ELSE '"' || replace(${escaped}, '"', '\\"') || '"' END`;
}

/** Bytes that are no printable ASCII as \\xNN. */
function byteEscapes(value: string, quote: '' | '"'): string {
  const code = "CAST('0x' || h AS INTEGER)";
  const special = quote === '' ? '' : `WHEN ${code} IN (34, 92) THEN '\\' || chr(${code}) `;
  const byte = `CASE ${special}WHEN ${code} BETWEEN 32 AND 126 THEN chr(${code}) ELSE '\\x' || lower(h) END`;
  return `CASE WHEN ${value} IS NOT NULL THEN coalesce(array_to_string(list_transform(regexp_extract_all(hex(${value}), '..'), lambda h: ${byte}), ''), '') END`;
}
