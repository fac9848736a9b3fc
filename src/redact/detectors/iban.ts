import type { Detector } from '../detector.ts';

/** International bank account numbers with valid check digits (ISO 13616), also in groups of four. Optional. */
export const iban: Detector = {
  name: 'iban',
  kind: 'iban',
  hint: /[A-Za-z]{2}\d{2} ?[A-Za-z0-9]{4}/,
  find({ text }, report) {
    for (const match of text.matchAll(candidates)) {
      const length = lengthOfIban(match[0]);
      if (length > 0) report(match.index, match.index + length);
    }
  },
  canonical: compact,
};

const candidates = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,4})?/g;

/** The length of the longest prefix that ends at a group or at the end of the text and has valid check digits. */
function lengthOfIban(text: string): number {
  for (let length = text.length; length > 0; length = text.lastIndexOf(' ', length - 1)) {
    if (hasCheckDigits(compact(text.slice(0, length)))) return length;
  }
  return 0;
}

function hasCheckDigits(text: string): boolean {
  if (text.length < 15 || text.length > 34) return false;
  let rest = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

function compact(text: string): string {
  return text.replaceAll(' ', '').toUpperCase();
}
