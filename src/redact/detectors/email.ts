import type { Detector } from '../detector.ts';
import type { TextView } from '../textView.ts';
import { userInfosIn } from './userInfo.ts';

/**
 * E-mail addresses (RFC 5321, section 4.1.2; RFC 6531): a local part, also quoted or not ASCII, and a
 * domain with a dot or an address literal. Not: `user@host`, `@2x.png`, `package@1.2.3`.
 */
export const email: Detector = {
  name: 'email',
  kind: 'email',
  hint: /@/,
  find(view, report) {
    const { text } = view;
    const passwords = userInfosIn(text);
    let next = 0;
    let done = 0;
    for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
      while ((passwords[next]?.to ?? at) < at) next++;
      // The @ ends a password or is in one; the text after it is the host.
      if ((passwords[next]?.from ?? at) < at) continue;
      const to = endOfDomain(text, at + 1);
      if (to === undefined) continue;
      const from = startOfLocalPart(view, at, done);
      if (from === at) continue;
      report(from, to);
      done = to;
    }
  },
  canonical: (core) => core.toLowerCase(),
};

const literal = /\[(?:IPv6:)?[0-9A-Fa-f:.]{2,45}\]/iy;

function endOfDomain(text: string, from: number): number | undefined {
  literal.lastIndex = from;
  if (literal.test(text)) return literal.lastIndex;
  let to = from;
  while (isDomainUnit(text.charCodeAt(to))) to++;
  while (to > from && /[._\-\u3002\uff0e\uff61]/.test(text.charAt(to - 1))) to--;
  return isDomain(text.slice(from, to)) ? to : undefined;
}

const dots = /[.\u3002\uff0e\uff61]+/;
const version = /^v?\d+\.(?:\d|x$)/i;
const pixelRatio = /^\d+(?:\.\d+)?x\.(?:png|jpe?g|gif|webp|avif|svg|bmp|ico|heic|tiff?)$/i;

function isDomain(domain: string): boolean {
  const [first = '', ...others] = domain.split(dots);
  if (first === '' || others.length === 0 || pixelRatio.test(domain)) return false;
  if (version.test(domain)) return /^\p{L}{2,}$/u.test(others.at(-1) ?? '');
  return others.some((label) => /^[\p{L}\p{M}\ud800-\udfff]/u.test(label));
}

/** The offset where the local part starts; that of the @ if there is none. */
function startOfLocalPart(view: TextView, at: number, done: number): number {
  const { text } = view;
  if (text.charAt(at - 1) === '"') return startOfQuoted(view, at, done);
  let from = at;
  while (from > done && isLocalUnit(text.charCodeAt(from - 1))) from--;
  const local = text.slice(from, at);
  from += lengthOfSurroundings(local);
  while (from < at && /[.'`{*|/=?&]/.test(text.charAt(from))) from++;
  return from;
}

const queryName = /(?:^|[?&])[\w.-]+=/g;

/**
 * The length of text before the local part that a local part could contain: the path and query of a URL, or `name=`. If
 * neither is clear, all of it counts as the local part (in doubt, redact).
 */
function lengthOfSurroundings(local: string): number {
  let length = local.startsWith('/') ? Math.max(local.lastIndexOf('/'), local.lastIndexOf('?')) + 1 : 0;
  for (const match of local.matchAll(queryName)) length = Math.max(length, match.index + match[0].length);
  return length;
}

const quotedCharsMax = 66;

/**
 * The start of a quoted local part: a quote after white space or punctuation, so that a JSON string is not mistaken for
 * one. A quote inside has more backslashes than the ones around it.
 */
function startOfQuoted(view: TextView, at: number, done: number): number {
  const { text } = view;
  const backslashes = (quote: number): number => view.rawOffset(quote + 1) - view.rawOffset(quote);
  const start = Math.max(done, at - quotedCharsMax);
  for (let from = at - 2; from >= start; from--) {
    const character = text.charAt(from);
    if (character === '\r' || character === '\n') return at;
    if (character !== '"' || backslashes(from) > backslashes(at - 1)) continue;
    const isOpening = from === 0 || /[\s<(,;:=[]/.test(text.charAt(from - 1));
    return isOpening && /[^\s,:}\]"]/.test(text.charAt(from + 1)) ? from : at;
  }
  return at;
}

function isDomainUnit(code: number): boolean {
  return (
    isAlphanumeric(code) || code === 0x2d || code === 0x2e || code === 0x5f || isForeignDot(code) || isForeign(code)
  );
}

/** atext of RFC 5322 and the dot. A backslash or a quote ends a local part. */
function isLocalUnit(code: number): boolean {
  return isAlphanumeric(code) || (code < 0x80 ? localPunctuation.has(code) : isForeign(code));
}

const localPunctuation: ReadonlySet<number> = new Set(
  Array.from("!#$%&'*+-/=?^_`{|}~.", (character) => character.charCodeAt(0)),
);

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a);
}

/** The non-ASCII dots of domain names (RFC 3490, section 3.1). */
function isForeignDot(code: number): boolean {
  return code === 0x3002 || code === 0xff0e || code === 0xff61;
}

/** A non-ASCII letter, mark or number; also either unit of a surrogate pair. */
function isForeign(code: number): boolean {
  return code >= 0x80 && (isSurrogate(code) || /[\p{L}\p{M}\p{N}]/u.test(String.fromCharCode(code)));
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}
