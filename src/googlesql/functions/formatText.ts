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

/** Widths and precisions that are written as `*`: the index of the value that gives each, from 0. */
export interface FormatStars {
  readonly width?: number;
  readonly precision?: number;
}

export type FormatPiece =
  | { readonly kind: 'text'; readonly text: string }
  /** `index`: the index of the value after the format, from 0. */
  | {
      readonly kind: 'value';
      readonly specifier: FormatSpecifier;
      readonly stars: FormatStars;
      readonly index: number;
    };

const verbs = ['d', 'i', 'x', 'X', 'o', 'f', 'F', 'e', 'E', 'g', 'G', 's', 't', 'T', 'p'] as const;
export type FormatVerb = (typeof verbs)[number];

/** The type that a verb accepts; absent for verbs that accept any type. */
export const writtenTypes: Readonly<Partial<Record<FormatVerb, 'INT64' | 'FLOAT64' | 'STRING' | 'JSON'>>> = {
  ...{ d: 'INT64', i: 'INT64', x: 'INT64', X: 'INT64', o: 'INT64', s: 'STRING', p: 'JSON' },
  ...{ f: 'FLOAT64', F: 'FLOAT64', e: 'FLOAT64', E: 'FLOAT64', g: 'FLOAT64', G: 'FLOAT64' },
};

export const formatWidthMax = 10_000;
/** Leading zeros are flags, so that each text has only one reading: the work is linear, not quadratic. */
const specifierText = /%([-+ 0#']*)([1-9]\d*|\*)?(?:\.(\d*|\*))?([a-zA-Z%])/g;

/** The message for a width or precision that is too large. */
const tooWide = `Widths and precisions in FORMAT may be at most ${formatWidthMax}.`;

/**
 * The pieces of a format for values of `types`, or the problem with it: an unknown specifier, a specifier without a value, a
 * value without a specifier, or a type that its verb does not accept. If `origin` is `data`, a problem shows no more of the
 * format than a verb.
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
        return { problem: `The * in ${shown} of FORMAT requires an INT64, not ${kind}.` };
      }
    }
    const type = types[index];
    if (type === undefined) return { problem: `FORMAT has more specifiers than values: ${shown} has no value.` };
    const problem = problemOf({ flags, precision, verb }, type, shown);
    if (problem !== null) return { problem };
    // A period without digits means a precision of 0.
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
    ? { problem: `FORMAT has more values (${types.length}) than its specifiers use (${index}).` }
    : pieces;
}

/** Each flag once. As in C's printf, `-` overrides `0`, and `+` overrides a space. */
function effective(written: string): string {
  const flags = [...new Set(written)].join('');
  const filled = flags.includes('-') ? flags.replaceAll('0', '') : flags;
  return filled.includes('+') ? filled.replaceAll(' ', '') : filled;
}

/**
 * The specifier with the widths and precisions that values give for each `*`. A negative width means the flag `-`, a negative
 * precision means none. Null if a value is NULL; a message if one is too large.
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
  problem: `${text === null ? 'A specifier' : `The specifier ${text.slice(0, 20)}`} of FORMAT is unknown. Use ${verbs.map((verb) => `%${verb}`).join(' ')} or %%, with flags, width and precision.`,
});

/** The problem with a value, or null. Also refuses forms of GoogleSQL that Logmill does not support: digit groups with a prefix, zeros or a precision. */
function problemOf(
  { flags, precision, verb }: Pick<FormatSpecifier, 'flags' | 'precision' | 'verb'>,
  type: SqlType,
  whole: string,
): string | null {
  const written = writtenTypes[verb];
  if (written === undefined) return null;
  if (written === 'INT64' && precision !== undefined && flags.includes("'")) {
    return `FORMAT does not support ${whole}: the flag ' cannot be combined with a precision.`;
  }
  if (isGroupedByFour({ flags, verb }) && /[#0]/.test(flags)) {
    return `FORMAT does not support ${whole}: for digits that are not decimal, the flag ' cannot be combined with # or 0.`;
  }
  const isNested = type.kind === 'JSON' || (type.kind === 'FLOAT64' && type.isNested === true && written === 'INT64');
  if (type.kind === written || type.kind === 'NULL' || isNested) return null;
  return `FORMAT cannot write a value of type ${typeName(type)} with ${whole}, which requires ${written}; ${adviceFor(written, type)}.`;
}

/** Whether digits of a base other than ten are grouped by four. */
export const isGroupedByFour = ({ flags, verb }: Pick<FormatSpecifier, 'flags' | 'verb'>): boolean =>
  flags.includes("'") && (verb === 'x' || verb === 'X' || verb === 'o');

function adviceFor(written: 'INT64' | 'FLOAT64' | 'STRING' | 'JSON', type: SqlType): string {
  if (written === 'INT64' && type.kind === 'FLOAT64') return 'use %f, or cast it to INT64';
  if (written === 'FLOAT64' && type.kind === 'INT64') return 'use %d, or cast it to FLOAT64';
  if (written === 'STRING' && type.kind === 'INT64') return 'use %d, or %t, which accepts any value';
  return 'use %t, which accepts any value';
}
