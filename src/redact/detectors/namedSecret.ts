import type { Detector } from '../detector.ts';
import type { TextView } from '../textView.ts';
import { isWholeName, secretHint, secretWords } from './secretNames.ts';

/**
 * Values after the name of a secret, in texts that are not JSON: `password=…`, `'api_key': '…'`, a line `Cookie: …`. The
 * name stays. Not: placeholders (`password = $1`), and words that describe a value (`password: missing`).
 */
export const namedSecret: Detector = {
  name: 'named_secret',
  kind: 'key',
  hint: secretHint,
  find(view, report) {
    const { text } = view;
    let done = 0;
    for (const match of text.matchAll(names)) {
      const [all, name = '', quote = '', separator = ''] = match;
      if (match.index < done || !isWholeName(text, match.index, name)) continue;
      let from = match.index + all.length;
      if (quote === '"' && separator === ':' && matchAt(jsonValue, text, from) !== null) continue;
      const line = separator === ':' ? lineOf(name) : undefined;
      // "Token" also has another meaning: `Unexpected token: }`.
      if (/^tokens?$/i.test(name) && quote === '' && (separator === ':' || /[([{<]/.test(text.charAt(from)))) continue;
      if (separator === ':') from += matchAt(folded, text, from)?.length ?? 0;
      // Bearer and Basic have their own detectors, which keep the word.
      if (separator !== ':' && /authorization$/i.test(name) && matchAt(ownScheme, text, from) !== null) continue;
      const value = line === undefined ? valueAt(view, from, separator) : lineValueAt(view, match.index, from, line);
      if (value === undefined) continue;
      done = value.to;
      for (const part of text.slice(value.from, value.to).matchAll(unmarked)) {
        if (/[\p{L}\p{N}]/u.test(part[0])) report(value.from + part.index, value.from + part.index + part[0].length);
      }
    }
  },
  canonical: (core) => core,
};

/** A name, its closing quote, and the separator before its value. */
const blank = String.raw`(?:[^\S\r\n]|\0){0,64}`;
const names = new RegExp(String.raw`(${secretWords})\\{0,3}(["'\x60]?)\]?${blank}(=>|->|:=|==?|:)${blank}`, 'gi');

/** A value on its own line, as in YAML and folded headers. */
const folded = /(?:[|>][+-]?[^\S\r\n]{0,8})?\r?\n[^\S\r\n]{1,64}(?=\S{0,4096}[^\s:][^\S\r\n]{0,8}(?:[\r\n]|$))/y;
/** The start of a JSON value, which fieldsInText.ts finds by its quotes, brackets and digits. */
const jsonValue = /["[{]|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,}\]"\\]|$)|(?:true|false|null)(?![\w-])/y;

/** Text between marks that a value already has, without surrounding white space. */
const unmarked = /[^\s\ue000](?:[^\ue000]*[^\s\ue000])?/g;

/** The match of a sticky expression at an offset, or null. */
function matchAt(expression: RegExp, text: string, at: number): string | null {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? null;
}

const ownScheme = /(?:bearer|basic)[\s:=+]/iy;

type Line = 'cookies' | 'credentials';

/** The kind of header that a name starts. */
function lineOf(name: string): Line | undefined {
  if (/cookie$/i.test(name)) return 'cookies';
  return /authorization$/i.test(name) ? 'credentials' : undefined;
}

interface Value {
  readonly from: number;
  readonly to: number;
}

/** The rest of the line, up to the quote around the line. The scheme of credentials stays. */
function lineValueAt(view: TextView, nameAt: number, start: number, line: Line): Value | undefined {
  const { text } = view;
  const own = quotedAt(view, start);
  if (own !== undefined) return own.to > own.from ? own : undefined;
  const around = text.charAt(nameAt - 1);
  const isInQuotes = around === "'" || around === '`';
  let to = endWithin(view, start, (unit, at) =>
    /[\r\n\0]/.test(unit)
      ? line !== 'cookies' || matchAt(foldedCookie, text, at) === null
      : isInQuotes && unit === around,
  );
  let from = start;
  if (line === 'credentials') {
    scheme.lastIndex = start;
    const known = scheme.exec(text);
    if (known !== null && from + known[0].length < to) {
      from += known[0].length;
      // Their own detectors find the end.
      if (/^(?:bearer|basic)/i.test(known[0])) {
        token.lastIndex = from;
        to = from + (token.exec(text)?.[0].length ?? 0);
      }
    }
  }
  while (to > from && /\s/.test(text.charAt(to - 1))) to--;
  return to > from && !isHarmless(text.slice(from, to), true) ? { from, to } : undefined;
}

/** Characters after the closing quote of a JSON string, at any quoting depth. */
const afterString = /[\s,:}\]"\\]/;
const mayOpen = (text: string, quote: number): boolean =>
  quote + 1 < text.length && !afterString.test(text.charAt(quote + 1));

/** The end of a value that may be inside JSON: double quotes within the value come in pairs, and any other ends the surrounding string. */
function endWithin(view: TextView, start: number, isEnd: (unit: string, at: number) => boolean): number {
  const { text } = view;
  let open: number | null = null;
  for (let at = start; at < text.length; at++) {
    const unit = text.charAt(at);
    if (isEnd(unit, at)) return at;
    if (unit !== '"') continue;
    const depth = backslashesAt(view, at);
    if (open === null) {
      if (!mayOpen(text, at)) return at;
      open = depth;
    } else if (depth < open) return at;
    else if (depth === open) open = null;
  }
  return text.length;
}

/** Further cookies on a folded header line (RFC 9112, section 5.2). */
const foldedCookie = /\r?\n[ \t]{1,64}[\w!#$%&'*+.^`|~-]{1,256}=[^\s=]/y;
const scheme = /[A-Za-z][\w-]{1,30}[ \t]+/y;
const token = /[^\s"'`,;<>(){}[\]\\\ue000]+/y;

function valueAt(view: TextView, start: number, separator: string): Value | undefined {
  const quoted = quotedAt(view, start);
  if (quoted !== undefined) return quoted.to > quoted.from ? quoted : undefined;
  const { text } = view;
  template.lastIndex = start;
  if (template.test(text)) return undefined;
  // Percent-encoded characters in a value belong to it, unless all of it is encoded.
  const isEncoded = isPercent(view, start - 1);
  if (/[[({<]/.test(text.charAt(start))) return inBrackets(view, start);
  let to = start;
  // A bracket that was opened within the value belongs to it; any other ends the surrounding text.
  const open: string[] = [];
  for (; to < text.length; to++) {
    const unit = text.charAt(to);
    const closing = brackets[unit];
    if (closing !== undefined) open.push(closing);
    else if (unit === open.at(-1)) open.pop();
    else if (!isValueUnit(unit) && (isEncoded || !isPercent(view, to))) break;
  }
  while (to > start && /[.!?]/.test(text.charAt(to - 1)) && (to === text.length || /\s/.test(text.charAt(to)))) to--;
  return to > start && !isHarmless(text.slice(start, to), separator === ':') ? { from: start, to } : undefined;
}

const brackets: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The text in brackets, or to the end of the line if they are not closed; undefined if it is harmless. */
function inBrackets(view: TextView, start: number): Value | undefined {
  let depth = 0;
  const isClosing = (unit: string): boolean => {
    if (/[[({<]/.test(unit)) depth++;
    else if (/[\])}>]/.test(unit)) depth--;
    return depth === 0 || /[\r\n]/.test(unit);
  };
  const value = { from: start + 1, to: endWithin(view, start, isClosing) };
  return value.to > value.from && !isHarmless(view.text.slice(value.from, value.to), true) ? value : undefined;
}

const template =
  /[$#%]\{[\w.: -]{0,64}\}|\{\{[\w.: -]{0,64}\}|\{(?:[A-Za-z_.: -]{0,64}|\d\d?)\}|\$\([\w ]{0,64}\)|<[A-Za-z_ -]{0,64}>/y;
const isValueUnit = (unit: string): boolean => !/[\s"'`,;&|<>(){}[\]\\\ue000]/.test(unit);
const isPercent = (view: TextView, at: number): boolean =>
  view.isDecoded(at) && view.raw.charAt(view.rawOffset(at)) === '%' && view.text.charAt(at) !== '\ue000';

/** The text in quotes, or to the end of the text if they are not closed. Undefined without a quote, empty if harmless. */
function quotedAt(view: TextView, start: number): Value | undefined {
  const { text } = view;
  let opening = start;
  while (opening < start + 4 && text.charAt(opening) === '\\') opening++;
  const quote = text.charAt(opening);
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined;
  const from = opening + 1;
  // The quote may end a JSON string that contains the name.
  if (quote === '"' && !mayOpen(text, opening)) return { from, to: from };
  // A quote with more backslashes is inside the value; one with fewer ends the surrounding string.
  const depth = backslashesAt(view, opening);
  const isClosing = (unit: string, at: number) => unit === quote && backslashesAt(view, at) <= depth;
  let to = quote === '"' ? from : endWithin(view, from, isClosing);
  if (quote === '"') while (to < text.length && !isClosing(text.charAt(to), to)) to++;
  // SQL and YAML double a quote inside a string.
  while (quote === "'" && to > from && text.startsWith("''", to)) to = endWithin(view, to + 2, isClosing);
  while (to > from && text.charAt(to - 1) === '\\') to--;
  const value = text.slice(from, to);
  return isHarmless(value, false) ? { from, to: from } : { from, to };
}

function backslashesAt(view: TextView, quote: number): number {
  const start = view.rawOffset(quote);
  let count = 0;
  while (count < 64 && view.raw.charAt(start + count) === '\\') count++;
  for (let at = quote - 1; at >= 0 && count < 64 && view.text.charAt(at) === '\\'; at--) count++;
  return count;
}

const placeholder =
  /^(?:\$\d+|\?|:\w+|@\w+|%\(?\w*\)?s|\$?\{\{?[^{}]*\}?\}|\*+|x{3,}|null|none|nil|undefined|filtered|redacted|hidden|masked|removed|omitted|protected|optional|object object|function\b.*|true|false|yes|no)?$/i;
const tellingWord =
  /^(?:required|invalid|incorrect|wrong|missing|empty|expired|must|should|is|was|not|too|reset|changed|failed|ok|mismatch|unknown|unset|set|revoked|rejected|accepted)$/i;

/** Whether the text is not a secret: a placeholder, empty, or, after a colon, a word that describes a value. */
function isHarmless(value: string, mayTell: boolean): boolean {
  return placeholder.test(value) || (mayTell && tellingWord.test(value.replace(/[.,!?]+$/, '')));
}
