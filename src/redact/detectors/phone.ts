import type { Detector } from '../detector.ts';

/** Telephone numbers: international (`+` or `00`, ITU-T E.164) and North American in groups. Off unless asked for. */
export const phone: Detector = {
  name: 'phone',
  kind: 'phone',
  hint: /\+\d|00\d|\d{3}[). -]/,
  find({ text }, report) {
    numbers.lastIndex = 0;
    for (let match = numbers.exec(text); match !== null; match = numbers.exec(text)) {
      const digits = match[0].replaceAll(/\D/g, '').length;
      if (digits >= digitsMin && digits <= digitsMax) report(match.index, match.index + match[0].length);
      // A number may have taken the first groups of the next one for its own.
      numbers.lastIndex = match.index + 1;
    }
  },
  canonical: (core) => core.replaceAll(/\D/g, '').replace(/^00/, ''),
};

const digitsMin = 8;
/** Fifteen, and the 00 of international calls. */
const digitsMax = 17;
const international = String.raw`(?:\+|00)[1-9](?:[ .()-]{0,2}\d){6,15}`;
const northAmerican = String.raw`(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}`;
const numbers = new RegExp(String.raw`(?<![\w./+-])(?:${international}|${northAmerican})(?!\w|[.:-]\d)`, 'g');
