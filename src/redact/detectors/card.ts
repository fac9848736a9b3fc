import type { Detector } from '../detector.ts';

/** Payment card numbers: 13 to 19 digits, also in groups, with a valid check digit (ISO/IEC 7812). Optional. */
export const card: Detector = {
  name: 'card',
  kind: 'card',
  hint: /\d(?:[ -]?\d){12}/,
  find({ text }, report) {
    for (const run of text.matchAll(runs)) {
      if (run[0].length < digitsMin) continue;
      const groups = [...run[0].matchAll(/\d+/g)];
      for (const first of groups.keys()) {
        const last = lastOfCard(run[0], groups, first);
        const [from, to] = [groups[first], groups[last ?? 0]];
        if (last === null || from === undefined || to === undefined) continue;
        report(run.index + from.index, run.index + to.index + to[0].length);
      }
    }
  },
  canonical: (core) => core.replaceAll(/\D/g, ''),
};

/** A run of digits with the groups next to it. */
const runs = /(?<![\w.-])\d+(?:[ -]\d+)*(?!\w|\.\d|-\d)/g;
const digitsMin = 13;
const digitsMax = 19;
/** First digits that card networks use. Times in microseconds start with 1. */
const issuers = /^(?:2[2-7]|3|4|5|6)/;
const shapes = {
  whole: /^\d+$/,
  /** A number without other digits next to it, in groups with one kind of separator. */
  grouped: /^\d+( |-)\d{4,7}(?:\1\d{1,7}){1,3}$/,
  /** Next to other digits, such as a telephone number or a security code: only the groups that are printed on cards. */
  printed: /^\d{4}( |-)(?:\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{6}\1\d{4,5})$/,
} as const;

/** A group after other digits that can start a number in one of those shapes. */
const couldBegin = /^(?:\d{4}|\d{13,19})$/;

/** The last group of the longest card number that starts with the group. */
function lastOfCard(run: string, groups: readonly RegExpMatchArray[], first: number): number | null {
  const from = groups[first]?.index ?? 0;
  if (run[from - 1] === '-' || (first > 0 && !couldBegin.test(groups[first]?.[0] ?? ''))) return null;
  let found: number | null = null;
  let digits = '';
  for (let last = first; last < groups.length; last++) {
    const group = groups[last];
    digits += group?.[0] ?? '';
    if (digits.length > digitsMax) break;
    const to = (group?.index ?? 0) + (group?.[0].length ?? 0);
    const isAlone = first === 0 && last === groups.length - 1;
    const text = run.slice(from, to);
    // A run of digits before a hyphen is part of something longer.
    const isShaped =
      (shapes.whole.test(text) && run[to] !== '-') || (isAlone ? shapes.grouped : shapes.printed).test(text);
    if (isShaped && digits.length >= digitsMin && issuers.test(digits) && hasLuhnDigit(digits)) found = last;
  }
  return found;
}

function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits.charAt(digits.length - 1 - i));
    const weighted = i % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}
