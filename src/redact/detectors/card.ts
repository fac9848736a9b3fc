import type { Detector } from '../detector.ts';

/** Payment card numbers: 13 to 19 digits, also in groups, with a valid check digit (ISO/IEC 7812). Off unless asked for. */
export const card: Detector = {
  name: 'card',
  kind: 'card',
  hint: /\d(?:[ -]?\d){12}/,
  find({ text }, report) {
    for (const match of text.matchAll(numbers)) {
      const digits = match[0].replaceAll(/\D/g, '');
      if (digits.length < 13 || digits.length > 19 || !issuers.test(digits) || !hasLuhnDigit(digits)) continue;
      report(match.index, match.index + match[0].length);
    }
  },
  canonical: (core) => core.replaceAll(/\D/g, ''),
};

/** Digits run together, or in groups by one kind of separator. Each is tried from its first digit only. */
const numbers = /(?<![\w.-])\d+(?:( |-)\d{4,7}(?:\1\d{1,7}){1,3})?(?![\w-]|\.\d)/g;
/** First digits that card networks use; times in microseconds begin with 1. */
const issuers = /^(?:2[2-7]|3|4|5|6)/;

function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits.charAt(digits.length - 1 - i));
    const weighted = i % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}
