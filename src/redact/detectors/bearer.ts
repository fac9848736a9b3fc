import type { Detector } from '../detector.ts';

/** The token after `Bearer` (RFC 6750, section 2.1) if it has 16 or more characters or a digit; the word stays. */
export const bearer: Detector = {
  name: 'bearer',
  kind: 'key',
  hint: /[Bb][Ee][Aa][Rr][Ee][Rr]/,
  find({ text }, report) {
    let done = 0;
    for (const match of text.matchAll(scheme)) {
      const from = match.index + match[0].length;
      // A token may itself contain the word.
      if (from < done) continue;
      token.lastIndex = from;
      const found = token.exec(text)?.[0].replace(/[.!?]+$/, '') ?? '';
      if (found.length < 16 && !/\d/.test(found)) continue;
      done = from + found.length;
      report(from, done);
    }
  },
  canonical: (core) => core,
};

const scheme = /(?<![\p{L}\p{N}])bearer[\s:=+]+["']?/giu;
/** More characters than a token may have: text after a bar or a tilde in it is as secret as the rest. */
const token = /[^\s"'`<>,;(){}[\]\\&\ue000]+/y;
