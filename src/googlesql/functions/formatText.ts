import type { SqlType } from '../types.ts';
import { typeName } from '../types.ts';

/** A specifier of FORMAT: `%[flags][width][.precision]verb` (GoogleSQL reference, "FORMAT"). */
export interface FormatSpecifier {
  /** Any of `-`, `+`, blank, `0`, `#` and `'`. */
  readonly flags: string;
  /** The least number of characters, empty for none. */
  readonly width: string;
  readonly precision: string | undefined;
  readonly verb: FormatVerb;
}

/** A width or precision that is written `*`: which of the values behind the format says it, from 0. */
export interface FormatStars {
  readonly width?: number;
  readonly precision?: number;
}

export type FormatPiece =
  | { readonly kind: 'text'; readonly text: string }
  /** `index`: which of the values behind the format, from 0. */
  | {
      readonly kind: 'value';
      readonly specifier: FormatSpecifier;
      readonly stars: FormatStars;
      readonly index: number;
    };

const verbs = ['d', 'i', 'x', 'X', 'o', 'f', 'F', 'e', 'E', 'g', 'G', 's', 't', 'T', 'p'] as const;
export type FormatVerb = (typeof verbs)[number];

/** The type that a verb writes; absent where it writes values of any type. */
export const writtenTypes: Readonly<Partial<Record<FormatVerb, 'INT64' | 'FLOAT64' | 'STRING' | 'JSON'>>> = {
  ...{ d: 'INT64', i: 'INT64', x: 'INT64', X: 'INT64', o: 'INT64', s: 'STRING', p: 'JSON' },
  ...{ f: 'FLOAT64', F: 'FLOAT64', e: 'FLOAT64', E: 'FLOAT64', g: 'FLOAT64', G: 'FLOAT64' },
};

export const formatWidthMax = 10_000;
/** Zeros in front are flags, so that a text can be read in one way only: the work grows with its length, not with the square. */
const specifierText = /%([-+ 0#']*)([1-9]\d*|\*)?(?:\.(\d*|\*))?([a-zA-Z%])/g;

/** The sentence for a width or precision that is too large. */
const tooWide = `Widths and precisions in FORMAT go up to ${formatWidthMax}.`;

/**
 * The pieces of a format that values of `types` are written into, or the sentence that says what is wrong with it:
 * a specifier that is not known, one without a value, a value without one, or a value that its verb does not write.
 * `origin`: of a format that is data, no sentence shows more than a verb.
 */
export function readFormat(
  format: string,
  types: readonly SqlType[],
  origin: 'query' | 'data' = 'query',
): readonly FormatPiece[] | { readonly problem: string } {
  const pieces: FormatPiece[] = [];
  let words = '';
  const endWords = (): void => {
    if (words !== '') pieces.push({ kind: 'text', text: words });
    words = '';
  };
  const unknown = (text: string) => unknownSpecifier(origin === 'data' ? null : text);
  let at = 0;
  let index = 0;
  for (const match of format.matchAll(specifierText)) {
    const [whole, flags = '', width = '', precision, verb = ''] = match;
    const before = format.slice(at, match.index);
    if (before.includes('%')) return unknown(before.slice(before.indexOf('%')));
    words += before;
    at = match.index + whole.length;
    if (verb === '%') {
      words += '%';
      continue;
    }
    if (!isVerb(verb)) return unknown(whole);
    if ([width, precision].some((digits) => Number(digits === '*' ? 0 : digits) > formatWidthMax)) {
      return { problem: tooWide };
    }
    const shown = origin === 'data' ? `%${verb}` : whole;
    const stars: FormatStars = {
      ...(width === '*' && { width: index++ }),
      ...(precision === '*' && { precision: index++ }),
    };
    for (const star of Object.values(stars)) {
      const kind = types[star]?.kind;
      if (kind !== undefined && kind !== 'INT64' && kind !== 'NULL') {
        return { problem: `The * in ${shown} of FORMAT takes an INT64, not ${kind}.` };
      }
    }
    const type = types[index];
    if (type === undefined) return { problem: `FORMAT has more specifiers than values: there is none for ${shown}.` };
    const problem = problemOf({ flags, precision, verb }, type, shown);
    if (problem !== null) return { problem };
    // A point without digits is a precision of 0.
    const digits = precision === undefined || precision === '*' ? precision : String(Number(precision));
    endWords();
    const specifier: FormatSpecifier = { flags: effective(flags), width, precision: digits, verb };
    pieces.push({ kind: 'value', specifier, stars, index });
    index++;
  }
  const rest = format.slice(at);
  if (rest.includes('%')) return unknown(rest.slice(rest.indexOf('%')));
  words += rest;
  endWords();
  return index < types.length
    ? { problem: `FORMAT has more values than specifiers: ${types.length} for ${index}.` }
    : pieces;
}

/** Each flag once. No zeros fill up what begins at the left, and + says more than a blank (printf of C). */
function effective(written: string): string {
  const flags = [...new Set(written)].join('');
  const filled = flags.includes('-') ? flags.replaceAll('0', '') : flags;
  return filled.includes('+') ? filled.replaceAll(' ', '') : filled;
}

/**
 * With the widths and precisions that values say in place of each `*`: a negative width is one with the flag -, a
 * negative precision none. Null where a value is NULL; a sentence for one that cannot be.
 */
export function withStars(
  specifier: FormatSpecifier,
  stars: FormatStars,
  starOf: (star: number) => bigint | null,
): FormatSpecifier | string | null {
  let { flags, width, precision } = specifier;
  for (const [part, star] of Object.entries(stars) as readonly ['width' | 'precision', number][]) {
    const value = starOf(star);
    if (value === null) return null;
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

const isVerb = (verb: string): verb is FormatVerb => verbs.some((each) => each === verb);

const unknownSpecifier = (text: string | null): { readonly problem: string } => ({
  problem: `${text === null ? 'A specifier' : `The specifier ${text.slice(0, 20)}`} of FORMAT is not known. Known are ${verbs.map((verb) => `%${verb}`).join(' ')} and %%, with flags, width and precision.`,
});

/** Forms of GoogleSQL that are not written here are refused as well: groups of digits behind a prefix, zeros or digits at least. */
function problemOf(
  { flags, precision, verb }: Pick<FormatSpecifier, 'flags' | 'precision' | 'verb'>,
  type: SqlType,
  whole: string,
): string | null {
  const written = writtenTypes[verb];
  if (written === undefined) return null;
  if (written === 'INT64' && precision !== undefined && flags.includes("'")) {
    return `FORMAT cannot write ${whole}: groups of digits go with no precision.`;
  }
  if (isGroupedByFour({ flags, verb }) && /[#0]/.test(flags)) {
    return `FORMAT cannot write ${whole}: groups of digits that are not decimal go with no prefix and no zeros.`;
  }
  const isNested = type.kind === 'JSON' || (type.kind === 'FLOAT64' && type.isNested === true && written === 'INT64');
  if (type.kind === written || type.kind === 'NULL' || isNested) return null;
  return `FORMAT cannot write a value of type ${typeName(type)} with ${whole}, which takes ${written}; ${adviceFor(written, type)}.`;
}

/** Whether digits of a base other than ten are set apart, four and four. */
export const isGroupedByFour = ({ flags, verb }: Pick<FormatSpecifier, 'flags' | 'verb'>): boolean =>
  flags.includes("'") && (verb === 'x' || verb === 'X' || verb === 'o');

function adviceFor(written: 'INT64' | 'FLOAT64' | 'STRING' | 'JSON', type: SqlType): string {
  if (written === 'INT64' && type.kind === 'FLOAT64') return 'write it with %f, or cast it to INT64';
  if (written === 'FLOAT64' && type.kind === 'INT64') return 'write it with %d, or cast it to FLOAT64';
  if (written === 'STRING' && type.kind === 'INT64') return 'write it with %d, or with %t, which writes any value';
  return 'write it with %t, which writes any value';
}
