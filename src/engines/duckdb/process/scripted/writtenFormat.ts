import {
  type FormatSpecifier,
  isGroupedByFour,
  readFormat,
  withStars,
} from '../../../../googlesql/functions/formatText.ts';
import type { SqlType } from '../../../../googlesql/types.ts';
import { type FormatField, fieldOf, formatFields } from '../../functions/formatFields.ts';
import { grownTextBytesMax } from '../../functions/sqlFragments.ts';
import type { Spend } from './scriptedFunction.ts';
import { digitGroups, writtenNumber } from './writtenNumber.ts';

/** The texts of one value, by field; a type lacks some fields. */
type FormatValue = Readonly<Partial<Record<FormatField, string | null>>>;

/**
 * FORMAT for one row, with the results that `functions/format.ts` writes for a constant format: the text, NULL, or the
 * sentence of an error. `texts`: the fields of all values (formatFields.ts), in order.
 */
export function writtenFormat(
  format: string,
  types: readonly SqlType[],
  texts: readonly (string | null)[],
  spend: Spend,
): string | null | { readonly problem: string } {
  // A specifier takes as long as a few characters.
  spend(3 * format.length);
  const pieces = readFormat(format, types, 'data');
  if ('problem' in pieces) return pieces;
  const values = valuesOf(types, texts);
  const writers: (() => string)[] = [];
  let isNull = false;
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      writers.push(() => piece.text);
      continue;
    }
    const specifier = withStars(piece.specifier, piece.stars, (star) => wholeOf(values[star]));
    if (typeof specifier === 'string') return { problem: specifier };
    const value = values[piece.index] ?? {};
    if (specifier === null || isNullTo(specifier, value)) isNull = true;
    else writers.push(() => writtenValue(specifier, value, spend));
  }
  return isNull ? null : joinedWithin(writers, spend);
}

function valuesOf(types: readonly SqlType[], texts: readonly (string | null)[]): readonly FormatValue[] {
  let at = 0;
  return types.map((type) => Object.fromEntries(formatFields(type).map((field) => [field, texts[at++] ?? null])));
}

const wholeOf = (value: FormatValue | undefined): bigint | null =>
  typeof value?.whole === 'string' ? BigInt(value.whole) : null;

/** Joins the texts; writes none beyond the limit. */
function joinedWithin(writers: readonly (() => string)[], spend: Spend): string | { readonly problem: string } {
  let bytes = 0;
  const written: string[] = [];
  for (const write of writers) {
    const text = write();
    spend(text.length);
    bytes += Buffer.byteLength(text);
    if (bytes > grownTextBytesMax && writers.length > 1) {
      return { problem: `The result of FORMAT would have more than ${grownTextBytesMax} bytes.` };
    }
    written.push(text);
  }
  return written.join('');
}

/** Only %t and %T write NULL. */
function isNullTo(specifier: FormatSpecifier, value: FormatValue): boolean {
  const field = fieldOf(specifier.verb);
  return field !== 'plain' && field !== 'literal' && typeof value[field] !== 'string';
}

function writtenValue(specifier: FormatSpecifier, value: FormatValue, spend: Spend): string {
  const field = fieldOf(specifier.verb);
  const text = value[field] ?? 'NULL';
  if (field === 'whole') return wholeText(BigInt(text), specifier);
  if (field === 'number') return numberText(numberOf(text), specifier, spend);
  return laidOut(text, specifier);
}

const numberOf = (text: string): number =>
  // -0 is written without its sign.
  text === 'inf' ? Number.POSITIVE_INFINITY : text === '-inf' ? Number.NEGATIVE_INFINITY : Number(text) + 0;

function numberText(value: number, specifier: FormatSpecifier, spend: Spend): string {
  const sign = value < 0 ? '-' : plusOf(specifier);
  const written = writtenNumber(value, specifier, spend);
  return Number.isFinite(value) && isFilled(specifier)
    ? `${sign}${zeroFilled(written, Number(specifier.width) - sign.length)}`
    : widened(`${sign}${written}`, specifier);
}

function wholeText(value: bigint, specifier: FormatSpecifier): string {
  const { verb, flags, precision } = specifier;
  const isDecimal = verb === 'd' || verb === 'i';
  const positive = value < 0n ? -value : value;
  const lower = positive.toString(isDecimal ? 10 : verb === 'o' ? 8 : 16);
  const digits = verb === 'X' ? lower.toUpperCase() : lower;
  if (isGroupedByFour(specifier)) {
    return widened(`${value < 0n ? '-' : ''}${digitGroups(digits, 4, verb === 'o' ? ',' : ':')}`, specifier);
  }
  const least = Number(precision ?? 0);
  // Zero has no decimal digits if the precision is 0.
  const some = isDecimal && precision === '0' && value === 0n ? '' : digits.padStart(least, '0');
  const shown = flags.includes("'") ? digitGroups(some, 3, ',') : some;
  const octal = flags.includes('#') && verb === 'o' && digits.length >= least ? `0${shown}` : shown;
  const prefix = flags.includes('#') && !isDecimal && verb !== 'o' ? `0${verb}` : '';
  const sign = `${value < 0n ? '-' : plusOf(specifier)}${prefix}`;
  // Zeros fill up decimal digits only without a precision.
  return isFilled(specifier) && !(isDecimal && precision !== undefined)
    ? `${sign}${zeroFilled(octal, Number(specifier.width) - sign.length)}`
    : widened(`${sign}${octal}`, specifier);
}

const plusOf = ({ flags }: FormatSpecifier): string => (flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '');

const isFilled = ({ flags, width }: FormatSpecifier): boolean =>
  width !== '' && flags.includes('0') && !flags.includes('-');

const zeroFilled = (digits: string, length: number): string => digits.padStart(length, '0');

/** Cuts to the precision and pads to the width. */
function laidOut(text: string, specifier: FormatSpecifier): string {
  const { precision } = specifier;
  const cut = precision === undefined ? text : text.slice(0, firstCharacters(text, Number(precision)).units);
  return widened(cut, specifier);
}

/** Pads with blanks to the width, at the start unless the flag - is set. */
function widened(text: string, { width, flags }: FormatSpecifier): string {
  const blanks = ' '.repeat(Number(width) - firstCharacters(text, Number(width)).count);
  return flags.includes('-') ? `${text}${blanks}` : `${blanks}${text}`;
}

/** Number of characters of a text, up to `countMax`, and their length in UTF-16. */
function firstCharacters(text: string, countMax: number): { readonly count: number; readonly units: number } {
  let units = 0;
  let count = 0;
  for (; count < countMax && units < text.length; count++) units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return { count, units };
}
