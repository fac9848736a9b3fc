import { assertNever } from '../../../core/assertNever.ts';
import {
  type FormatSpecifier,
  type FormatStars,
  type FormatVerb,
  formatWidthMax,
  isGroupedByFour,
  readFormat,
  tooWide,
  writtenTypes,
} from '../../../googlesql/functions/formatText.ts';
import { INT64, type SqlType } from '../../../googlesql/types.ts';
import { readMember, wholeNumber } from '../emit/jsonRead.ts';
import { quoteText } from '../emit/literal.ts';
import type { ConstantValue, EmitFunction } from './emitContext.ts';
import { floatText, scalarText } from './scalarText.ts';
import { argument, bind, constantText, failedCall, joinedText } from './sqlFragments.ts';

/**
 * FORMAT with a constant format: %d %i (INT64), %x %X %o (INT64), %f %F %e %E %g %G (FLOAT64), %s (STRING),
 * %t (any value as text), %T (as a literal), %p (JSON), %%. A NULL for any but %t and %T makes the result NULL.
 * A literal format was read when the query was compiled; of a parameter it is known only now.
 */
export const emitFormat: EmitFunction = (args, context) => {
  const format = constantText(context, 0);
  if (context.constants[0] === null) return 'CAST(NULL AS VARCHAR)';
  if (format === undefined) return failedCall(context, 'The format of FORMAT must be a literal.');
  const types = context.argTypes.slice(1, args.length);
  const pieces = readFormat(format, types);
  if ('problem' in pieces) return failedCall(context, pieces.problem);
  const texts = pieces.map((piece) => {
    if (piece.kind === 'text') return quoteText(piece.text);
    const { index } = piece;
    const specifier = withoutStars(piece.specifier, piece.stars, (star) => context.constants[star + 1]);
    if (specifier === null) return 'CAST(NULL AS VARCHAR)';
    if (typeof specifier === 'string') return failedCall(context, specifier);
    const type = types[index] ?? { kind: 'NULL' };
    if (type.kind === 'NULL' && writtenTypes[specifier.verb] !== undefined) return 'CAST(NULL AS VARCHAR)';
    const read = readAs(specifier.verb, argument(args, index + 1), type);
    return emitPiece(specifier, read.value, read.type);
  });
  return joinedText(texts.length === 0 ? ["''"] : texts, context, 'FORMAT');
};

/**
 * With the widths and precisions that values say in place of each `*`: a negative width is one with the flag -, a
 * negative precision none. Null where a value is NULL; a sentence for one that cannot be.
 */
function withoutStars(
  specifier: FormatSpecifier,
  stars: FormatStars,
  constantOf: (star: number) => ConstantValue | undefined,
): FormatSpecifier | string | null {
  let { flags, width, precision } = specifier;
  for (const [part, star] of Object.entries(stars) as readonly ['width' | 'precision', number][]) {
    const value = constantOf(star);
    if (value === null) return null;
    if (typeof value !== 'bigint') return 'The value for a * of FORMAT must be a literal or a parameter.';
    const size = value < 0n ? -value : value;
    if (size > formatWidthMax) return tooWide;
    if (part === 'precision') precision = value < 0n ? undefined : String(size);
    else {
      flags = value < 0n ? `-${flags.replaceAll('0', '')}` : flags;
      width = size === 0n ? '' : String(size);
    }
  }
  return { ...specifier, flags, width, precision };
}

/** A nested value, or a number computed of such, as what the verb writes. */
function readAs(verb: FormatVerb, value: string, type: SqlType): { readonly value: string; readonly type: SqlType } {
  const kind = writtenTypes[verb];
  if (kind !== undefined && type.kind === 'JSON') return { value: readMember(value, [], kind, false), type: { kind } };
  if (kind === 'INT64' && type.kind === 'FLOAT64' && type.isNested)
    return { value: bind([value], (number = '') => wholeNumber(number)), type: INT64 };
  return { value, type };
}

function emitPiece(layout: FormatSpecifier, value: string, type: SqlType): string {
  const { verb, flags, width } = layout;
  switch (verb) {
    case 'd':
    case 'i':
      if (layout.precision !== undefined) return wholeWithDigits(value, layout);
      return `printf('%${printfFlags(layout)}d', ${value})`;
    case 'x':
    case 'X':
    case 'o': {
      if (layout.precision !== undefined || (flags.includes('#') && verb !== 'o'))
        return wholeWithDigits(value, layout);
      // The engine writes negative numbers as unsigned; GoogleSQL writes a sign. The least number has no opposite in INT64.
      const isGrouped = isGroupedByFour(layout);
      const digits = (number: string): string =>
        isGrouped
          ? grouped(`printf('%${verb}', ${number})`, 4, verb === 'o' ? ',' : ':')
          : `printf('%${flags}${width}${verb}', ${number})`;
      const written = bind(
        [value],
        (n) => `CASE WHEN ${n} < 0 THEN '-' || ${digits(`-CAST(${n} AS HUGEINT)`)} ELSE ${digits(`${n}`)} END`,
      );
      return isGrouped ? laidOut(written, layout) : written;
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
      return bind([value], (number = '') => floatPiece(number, layout));
    case 's':
      return laidOut(value, layout);
    case 't':
      return laidOut(`coalesce(${bind([value], (v = '') => plainText(v, type))}, 'NULL')`, layout);
    case 'T':
      return laidOut(`coalesce(${bind([value], (v = '') => literalText(v, type))}, 'NULL')`, layout);
    case 'p':
      return laidOut(`CAST(${value} AS VARCHAR)`, layout);
    default:
      return assertNever(verb);
  }
}

/** A whole number with so many digits at least; no decimal ones of 0 where none are asked for. */
function wholeWithDigits(value: string, layout: FormatSpecifier): string {
  const { verb, flags, precision, width } = layout;
  const isDecimal = verb === 'd' || verb === 'i';
  const plus = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const prefix = flags.includes('#') && !isDecimal && verb !== 'o' ? `0${verb}` : '';
  return bind([value], (number = '') => {
    const positive = `abs(CAST(${number} AS HUGEINT))`;
    const written = isDecimal ? `CAST(${positive} AS VARCHAR)` : `printf('%${verb}', ${positive})`;
    const some = precision === '0' && isDecimal ? `CASE WHEN ${number} = 0 THEN '' ELSE ${written} END` : written;
    const least = Number(precision ?? 0);
    const zeros = (text: string, length: string): string =>
      `repeat('0', greatest(${length} - length(${text}), 0)) || ${text}`;
    const digits = least > 1 ? `(${zeros(written, String(least))})` : some;
    const octal =
      flags.includes('#') && verb === 'o'
        ? `CASE WHEN starts_with(${digits}, '0') THEN ${digits} ELSE '0' || ${digits} END`
        : digits;
    const sign = `CASE WHEN ${number} < 0 THEN '-' ELSE '${plus}' END || '${prefix}'`;
    // Zeros fill up decimal digits only where no precision is given.
    const isFilled =
      flags.includes('0') && !flags.includes('-') && !(isDecimal && precision !== undefined) && width !== '';
    const all = isFilled ? `${sign} || ${zeros(`(${octal})`, `${width} - length(${sign})`)}` : `${sign} || (${octal})`;
    return `CASE WHEN ${number} IS NOT NULL THEN ${isFilled ? all : laidOut(`(${all})`, { ...layout, precision: undefined })} END`;
  });
}

/** Thousands are set apart with commas, which the engine calls by another flag. */
const printfFlags = (layout: FormatSpecifier): string => `${layout.flags.replaceAll("'", ',')}${layout.width}`;

/** Digits set apart in groups, counted from the last one. */
const grouped = (digits: string, size: 3 | 4, by: ',' | ':'): string =>
  `reverse(array_to_string(regexp_extract_all(reverse(${digits}), '.{1,${size}}'), '${by}'))`;

/** From here on FLOAT64 holds whole numbers alone, of which the engine writes wrong digits with %f. */
const wholeFrom = '9007199254740992';

/** A FLOAT64 with %f, %e or %g; one that is no number is not filled up with zeros. */
function floatPiece(number: string, layout: FormatSpecifier): string {
  const { verb, flags, precision } = layout;
  // %g writes one digit where it is asked for none.
  const least = precision === '0' && (verb === 'g' || verb === 'G') ? '1' : precision;
  const point = least === undefined ? '' : `.${least}`;
  // Adding 0 makes 0 of -0, which GoogleSQL writes without its sign.
  const printed = (written: FormatSpecifier): string =>
    `printf('%${printfFlags(written)}${point}${verb}', ${number} + 0.0)`;
  const cases: string[] = [];
  if (flags.includes('0')) {
    cases.push(`WHEN NOT isfinite(${number}) THEN ${printed({ ...layout, flags: flags.replaceAll('0', '') })}`);
  }
  if (verb === 'f' || verb === 'F') {
    cases.push(`WHEN isfinite(${number}) AND abs(${number}) >= ${wholeFrom} THEN ${largeNumber(number, layout)}`);
  }
  return cases.length === 0 ? printed(layout) : `CASE ${cases.join(' ')} ELSE ${printed(layout)} END`;
}

/** A whole number of FLOAT64 with all its digits, which an integer of any length has. */
function largeNumber(number: string, layout: FormatSpecifier): string {
  const { flags, width, precision } = layout;
  const whole = `CAST(CAST(abs(${number}) AS BIGNUM) AS VARCHAR)`;
  const digits = flags.includes("'") ? grouped(whole, 3, ',') : whole;
  const decimals = Number(precision ?? 6);
  const fraction = decimals > 0 ? `.${'0'.repeat(decimals)}` : flags.includes('#') ? '.' : '';
  const plus = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const sign = `CASE WHEN ${number} < 0 THEN '-' ELSE '${plus}' END`;
  const text = `${digits} || '${fraction}'`;
  if (width === '' || !flags.includes('0') || flags.includes('-')) {
    return laidOut(`(${sign} || ${text})`, { ...layout, precision: undefined });
  }
  const zeros = `repeat('0', ${width} - length(${sign}) - length(${text}))`;
  return `(${sign} || ${zeros} || ${text})`;
}

/** Cut to the precision and filled up with blanks to the width, at the start unless the flag - is there. */
function laidOut(text: string, layout: FormatSpecifier): string {
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
    case 'JSON':
      return nestedText(value, (text) => text, `CAST(${value} AS VARCHAR)`);
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
 * A nested value takes the type that it has (googlesql.md, section 2): a string is a text, a number or boolean is
 * written as it is, and what is neither is `otherwise`.
 */
function nestedText(value: string, ofText: (text: string) => string, otherwise: string): string {
  const json = `CAST(${value} AS VARCHAR)`;
  const text = bind([readMember(value, [], 'STRING', false)], (string = '') => ofText(string));
  return `CASE WHEN starts_with(${json}, '"') THEN ${text} WHEN left(${json}, 1) IN ('{', '[') THEN ${otherwise} ELSE ${json} END`;
}

/** A FLOAT64 shows that it is one: 1.0, and the sign of -0.0. */
const floatWithPoint = (value: string): string => {
  const text = floatText(value);
  return `CASE WHEN ${value} = 0 THEN CAST(${value} AS VARCHAR) WHEN regexp_full_match(${text}, '-?[0-9]+') THEN ${text} || '.0' ELSE ${text} END`;
};

/** Of a number that is none, not of NULL. */
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
