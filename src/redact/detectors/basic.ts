import type { Detector } from '../detector.ts';

/** The credentials after `Basic` (RFC 7617, section 2). The word stays, as do words after it that are not base64. */
export const basic: Detector = {
  name: 'basic',
  kind: 'key',
  hint: /[Bb][Aa][Ss][Ii][Cc]/,
  find({ text }, report) {
    for (const match of text.matchAll(credentials)) {
      const found = match[1] ?? '';
      if (!isCredentials(found)) continue;
      const to = match.index + match[0].length;
      report(to - found.length, to);
    }
  },
  canonical: (core) => core,
};

const credentials = /(?<![\p{L}\p{N}])basic[\s:=+]+([A-Za-z0-9+/_-]{4,}={0,2})/giu;

/** Whether the text is `user:password` in base64, or unlike any ordinary word. */
function isCredentials(text: string): boolean {
  const decoded = Buffer.from(text, 'base64').toString('latin1');
  if (decoded.includes(':') && !/\p{Cc}/u.test(decoded)) return true;
  return text.length >= 8 && (/[\d+/=]/.test(text) || /[a-z][A-Z]/.test(text));
}
