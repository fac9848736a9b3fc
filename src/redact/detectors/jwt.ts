import type { Detector } from '../detector.ts';

/**
 * JSON in base64url, the start of JWT and JWE (RFC 7519, RFC 7516): `eyJ…`, with parts joined by dots, or one long part, as
 * in session cookies.
 */
export const jwt: Detector = {
  name: 'jwt',
  kind: 'key',
  hint: /eyJ/,
  find({ text }, report) {
    let done = 0;
    for (let at = text.indexOf('eyJ'); at >= 0; at = text.indexOf('eyJ', done)) {
      done = endOf(tokenPart, text, at);
      const first = done - at;
      if (first < shortestHeader) continue;
      const to = endOf(furtherParts, text, done);
      const isBounded = at === 0 || !/[A-Za-z0-9+/]/.test(text.charAt(at - 1));
      if (to === done && !(isBounded && first >= shortestAlone)) continue;
      done = to === done ? endOf(padding, text, to) : to;
      report(at, done);
    }
  },
  canonical: (core) => core,
};

const shortestHeader = 12;
const shortestAlone = 20;
const tokenPart = /[A-Za-z0-9+/_-]+/y;
const furtherParts = /(?:\.[A-Za-z0-9_-]*)+/y;
const padding = /=*/y;

function endOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}
