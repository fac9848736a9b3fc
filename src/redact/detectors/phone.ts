import type { Detector } from '../detector.ts';

/** Telephone numbers: international (`+` or `00`, ITU-T E.164) and North American in groups. Optional. */
export const phone: Detector = {
  name: 'phone',
  kind: 'phone',
  hint: /\+\d|00\d|\d{3}[). -]/,
  find({ text }, report) {
    numbers.lastIndex = 0;
    for (let match = numbers.exec(text); match !== null; match = numbers.exec(text)) {
      report(match.index, match.index + match[0].length);
      // A match may have included the first groups of the next number.
      numbers.lastIndex = match.index + 1;
    }
  },
  canonical: (core) => core.replaceAll(/\D/g, '').replace(/^00/, ''),
};

/** The pattern itself limits a number to fifteen digits, so that the first groups of a longer sequence match. */
const international = String.raw`(?:\+[1-9](?:[ .()-]{0,2}\d){7,14}|00[1-9](?:[ .()-]{0,2}\d){6,14})`;
const northAmerican = String.raw`(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}`;
const numbers = new RegExp(String.raw`(?<![\w./+-])(?:${international}|${northAmerican})(?!\w|[.:-]\d)`, 'g');
