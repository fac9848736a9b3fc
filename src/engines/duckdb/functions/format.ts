import { assertNever } from '../../../core/assertNever.ts';
import {
  type FormatPiece,
  type FormatSpecifier,
  isGroupedByFour,
  readFormat,
  withStars,
  writtenTypes,
} from '../../../googlesql/functions/formatText.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import { quoteText } from '../emit/literal.ts';
import { computedFormat } from './computedFormat.ts';
import type { EmitContext, EmitFunction } from './emitContext.ts';
import { literalText, plainText, readAs } from './formatTexts.ts';
import { argument, bind, constantText, failedCall, joinedText } from './sqlFragments.ts';

/**
 * FORMAT: %d %i (INT64), %x %X %o (INT64), %f %F %e %E %g %G (FLOAT64), %s (STRING), %t (any value as text), %T (as a
 * literal), %p (JSON), %%. A NULL for any but %t and %T makes the result NULL.
 * A literal format was read when the query was compiled; of a parameter it is known only now, of a column with each row.
 */
export const emitFormat: EmitFunction = (args, context) => {
  const format = constantText(context, 0);
  if (context.constants[0] === null) return 'CAST(NULL AS VARCHAR)';
  if (format === undefined) return computedFormat(args, context);
  const types = context.argTypes.slice(1, args.length);
  const pieces = readFormat(format, types);
  if ('problem' in pieces) return failedCall(context, pieces.problem);
  if (pieces.some((piece) => isBeyondSql(piece, context))) return computedFormat(args, context);
  const texts = pieces.map((piece) => {
    if (piece.kind === 'text') return quoteText(piece.text);
    const { index } = piece;
    const specifier = withStars(piece.specifier, piece.stars, (star) => starValue(context, star) ?? null);
    if (specifier === null) return 'CAST(NULL AS VARCHAR)';
    if (typeof specifier === 'string') return failedCall(context, specifier);
    const type = types[index] ?? { kind: 'NULL' };
    if (type.kind === 'NULL' && writtenTypes[specifier.verb] !== undefined) return 'CAST(NULL AS VARCHAR)';
    const read = readAs(specifier.verb, argument(args, index + 1), type);
    return emitPiece(specifier, read.value, read.type);
  });
  return joinedText(texts.length === 0 ? ["''"] : texts, context, 'FORMAT');
};

/** Whether SQL cannot write it: a width that differs by row, or the point of a FLOAT64 with the flag #. */
const isBeyondSql = (piece: FormatPiece, context: EmitContext): boolean =>
  piece.kind === 'value' &&
  ((piece.specifier.flags.includes('#') && writtenTypes[piece.specifier.verb] === 'FLOAT64') ||
    Object.values(piece.stars).some((star) => starValue(context, star) === undefined));

/** The value for a `*`; undefined if it is not constant. */
function starValue(context: EmitContext, star: number): bigint | null | undefined {
  if (context.argTypes[star + 1]?.kind === 'NULL') return null;
  const value = context.constants[star + 1];
  return value === null || typeof value === 'bigint' ? value : undefined;
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
      const isGrouped = isGroupedByFour(layout);
      if (!isGrouped && (layout.precision !== undefined || flags !== '' || width !== ''))
        return wholeWithDigits(value, layout);
      // The engine writes negative numbers as unsigned, but GoogleSQL writes a sign. The least INT64 has no positive
      // counterpart.
      const digits = (number: string): string => {
        const plain = `printf('%${verb}', ${number})`;
        return isGrouped ? grouped(plain, 4, verb === 'o' ? ',' : ':') : plain;
      };
      const written = bind(
        [value],
        (n) => `CASE WHEN ${n} < 0 THEN '-' || ${digits(`-CAST(${n} AS HUGEINT)`)} ELSE ${digits(`${n}`)} END`,
      );
      return laidOut(written, layout);
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

/** A whole number with a minimum of digits; zero has no decimal digits if the minimum is 0. */
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
        ? `CASE WHEN length(${written}) < ${least} THEN ${digits} ELSE '0' || ${digits} END`
        : digits;
    const sign = `CASE WHEN ${number} < 0 THEN '-' ELSE '${plus}' END || '${prefix}'`;
    // Zeros fill up decimal digits only without a precision.
    const isFilled =
      flags.includes('0') && !flags.includes('-') && !(isDecimal && precision !== undefined) && width !== '';
    const all = isFilled ? `${sign} || ${zeros(`(${octal})`, `${width} - length(${sign})`)}` : `${sign} || (${octal})`;
    return `CASE WHEN ${number} IS NOT NULL THEN ${isFilled ? all : laidOut(`(${all})`, { ...layout, precision: undefined })} END`;
  });
}

/** Thousands are grouped with commas, for which the engine has another flag. */
const printfFlags = (layout: FormatSpecifier): string => `${layout.flags.replaceAll("'", ',')}${layout.width}`;

/** Groups digits, counted from the last one. */
const grouped = (digits: string, size: 3 | 4, by: ',' | ':'): string =>
  `reverse(array_to_string(regexp_extract_all(reverse(${digits}), '.{1,${size}}'), '${by}'))`;

/** From here on, FLOAT64 holds only whole numbers, for which the engine writes wrong digits with %f. */
const wholeFrom = '9007199254740992';

/** A FLOAT64 with %f, %e or %g; NaN and infinities are not padded with zeros. */
function floatPiece(number: string, layout: FormatSpecifier): string {
  const { verb, flags, precision } = layout;
  // %g writes one digit if the precision is 0.
  const least = precision === '0' && (verb === 'g' || verb === 'G') ? '1' : precision;
  const point = least === undefined ? '' : `.${least}`;
  // Adding 0 turns -0 into 0, which GoogleSQL writes without a sign.
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

/** A whole FLOAT64 with all of its digits, written as an integer of any length. */
function largeNumber(number: string, layout: FormatSpecifier): string {
  const { flags, width, precision } = layout;
  const whole = `CAST(CAST(abs(${number}) AS BIGNUM) AS VARCHAR)`;
  const digits = flags.includes("'") ? grouped(whole, 3, ',') : whole;
  const decimals = Number(precision ?? 6);
  const fraction = decimals > 0 ? `.${'0'.repeat(decimals)}` : '';
  const plus = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const sign = `CASE WHEN ${number} < 0 THEN '-' ELSE '${plus}' END`;
  const text = `${digits} || '${fraction}'`;
  if (width === '' || !flags.includes('0') || flags.includes('-')) {
    return laidOut(`(${sign} || ${text})`, { ...layout, precision: undefined });
  }
  const zeros = `repeat('0', ${width} - length(${sign}) - length(${text}))`;
  return `(${sign} || ${zeros} || ${text})`;
}

/** Cuts to the precision and pads with blanks to the width, at the start unless the flag - is set. */
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
